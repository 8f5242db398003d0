// Builds a stationary problem, with its prescribed values and loads, from the user's options and formulas. An unknown
// or a node with a prescribed value is called held.
#pragma once
#include "base/formula.h"
#include "lab/stationary/run_stationary.h"

// The parsed formulas; a formula that the user did not give is empty. Formulas of the boundary may contain the names of
// groups of the mesh. Such a name is 1 on the nodes and sides of the group, and 0 elsewhere. Formulas that are
// evaluated at nodes may contain the word `field`, whose values are read from a file.
typedef struct StationaryFormulas {
  Formula of[STATIONARY_FORMULAS];
  const double *field;  // [node_count], values of the word `field`; borrowed; may be NULL
  double largest;       // largest magnitude that values of formulas may have
} StationaryFormulas;

/// Tests if the options that the user gave apply to the kind of problem. It needs no mesh.
bool stationary_formulas_check(const StationaryOptions *options, Error *error);

/// Completes the options of a body: sets the default force, 1000 N/m^3 downward, unless formulas define a load. Fails
/// if an option is about the z axis and the body is plane, or about plane strain or stress and the body is in space.
/// Errors call the mesh `name`.
bool stationary_options_settle(StationaryOptions *options, const CellMesh *mesh, const char *name, Error *error);

/// Parses the formulas. Fails if an option is not a formula, if it contains a name that is no group of the mesh, or if
/// it uses `field` where it is evaluated at points other than nodes. The error names the option, and calls the mesh
/// `name`. The caller must destroy the formulas in any case.
bool stationary_formulas_read(StationaryFormulas *formulas, const StationaryOptions *options, const CellMesh *mesh,
                              const double *field, const char *name, Error *error);
void stationary_formulas_destroy(StationaryFormulas *formulas);

/// Computes mesh->factor, each cell's factor on conductivity, rigidity or moduli, if the user gave the formula
/// --factor. The formula is evaluated at the centre of the cell; `field` is then its mean over the nodes of the cell.
/// Fails if a factor is not positive.
bool stationary_factors(const StationaryFormulas *formulas, CellMesh *mesh, Error *error);

/// Evaluates `formula`, a Formula, at a point. The function is a StationaryFunction.
double stationary_formula_at(const void *formula, const double x[3], double gradient[3]);

// Arrays of a problem, owned by this struct. source [node_count]: the source f. load [n]: added to the right-hand side.
// value [n]: prescribed values. share: work array.
typedef struct StationaryArrays {
  // held [node_count]: 1 if the node has a prescribed value; fixed [n]: 1 if the unknown has one
  uint8_t *held, *fixed;
  double *source, *share, *load, *value;
  bool warned;  // true: the warning about sides whose slopes are not prescribed has been printed
} StationaryArrays;

bool stationary_arrays_create(StationaryArrays *arrays, const CellMesh *mesh, const StationaryElement *element,
                              Error *error);
void stationary_arrays_destroy(StationaryArrays *arrays);  // accepts zeroed arrays

/// Fills the problem from the options, for stationary_create and stationary_change. The problem borrows the arrays.
/// Fails if no unknown has a prescribed value.
bool stationary_problem_fill(StationaryProblem *problem, StationaryArrays *arrays, const CellMesh *mesh,
                             const StationaryElement *element, const StationaryOptions *options,
                             const StationaryFormulas *formulas, Error *error);
