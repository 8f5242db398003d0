// Builds a stationary problem, with prescribed values and loads, from the user's options and formulas. A node or
// unknown with a prescribed value is called held.
#pragma once
#include "base/formula.h"
#include "lab/stationary/run_stationary.h"

// The parsed formulas. A formula that the user did not give is empty. A formula of the boundary may contain the name of
// a mesh group, which has the value 1 on nodes and sides of the group and 0 elsewhere. A formula that is evaluated at
// nodes may contain the word `field`, whose values are read from a file.
typedef struct StationaryFormulas {
  Formula of[STATIONARY_FORMULAS];
  const double *field;  // [node_count], values of the word `field`; borrowed; may be NULL
  double largest;       // largest magnitude that values of formulas may have
} StationaryFormulas;

/// Tests the options that the user gave. Fails if one of them does not apply to the kind of problem. Needs no mesh.
bool stationary_formulas_check(const StationaryOptions *options, Error *error);

/// Completes the options of a body: if the user gave no load and no displacement, sets a force of 1000 N/m^3 downward.
/// If the user gave other loads but not --force, sets this force to 0. Fails if a plane body has options for the z
/// axis, or a body in space has --plane. `name` is the name of the mesh in error messages.
bool stationary_options_settle(StationaryOptions *options, const CellMesh *mesh, const char *name, Error *error);

/// Prints one line with the loads and held values that act, and the options that give them. A value 0 is not a load.
/// The line says which load is a default. `options` must be complete, by stationary_options_settle.
void stationary_loads_print(const StationaryOptions *options);

/// Parses the formulas. Without the option --source, the source is 0 if the user gave loads or held values, otherwise
/// 1. Fails if a text is not a formula, or if a formula has a name that is not a group of the mesh. Also fails if a
/// formula uses `field` although it is evaluated between nodes. `name` is the name of the mesh; the error message
/// contains this name and the option. The caller must destroy the formulas, also after a failure.
bool stationary_formulas_read(StationaryFormulas *formulas, const StationaryOptions *options, const CellMesh *mesh,
                              const double *field, const char *name, Error *error);
void stationary_formulas_destroy(StationaryFormulas *formulas);

/// Computes mesh->factor: for each cell, a factor on its conductivity, rigidity or moduli. The factor is the value at
/// the cell's centre of the formula that the user gave by --factor. The word `field` in the formula is the mean of the
/// field over the cell's nodes. Does nothing without --factor. Fails if a factor is not positive.
bool stationary_factors(const StationaryFormulas *formulas, CellMesh *mesh, Error *error);

/// Evaluates `formula`, a Formula, at the point x. Unless `gradient` is NULL, also computes the gradient. The function
/// has the type StationaryFunction.
double stationary_formula_at(const void *formula, const double x[3], double gradient[3]);

// Arrays of a problem with n unknowns. source [node_count]: the source f at nodes. load [n]: loads that are added to
// the right-hand side. value [n]: prescribed values. share [node_count]: memory for intermediate results.
typedef struct StationaryArrays {
  // held [node_count]: 1 if the node has a prescribed value; fixed [n]: 1 if the unknown has one
  uint8_t *held, *fixed;
  double *source, *share, *load, *value;
  bool warned;  // the warning about sides without prescribed slopes has been printed
} StationaryArrays;

bool stationary_arrays_create(StationaryArrays *arrays, const CellMesh *mesh, const StationaryElement *element,
                              Error *error);
void stationary_arrays_destroy(StationaryArrays *arrays);  // accepts zeroed arrays

/// Fills the problem from options and formulas, for stationary_create or stationary_change. `problem` then points to
/// `arrays`, which must outlive it. Fails if no unknown has a prescribed value.
bool stationary_problem_fill(StationaryProblem *problem, StationaryArrays *arrays, const CellMesh *mesh,
                             const StationaryElement *element, const StationaryOptions *options,
                             const StationaryFormulas *formulas, Error *error);
