// Builds a stationary problem from options and formulas: prescribed values and loads. A held unknown or node is one
// with a prescribed value.
#pragma once
#include "base/formula.h"
#include "lab/stationary/run_stationary.h"

// The parsed formulas; those that are not given are empty. Formulas of the boundary may contain names of the mesh's
// groups, each of which is 1 on the group's nodes and facets and 0 elsewhere. Formulas of nodes may contain the word
// `field`, a value that is read from a file.
typedef struct StationaryFormulas {
  Formula of[STATIONARY_FORMULAS];
  const double *field;  // [node_count], values of the word `field`, borrowed; may be NULL
  double largest;       // upper bound of the magnitude of formulas' values
} StationaryFormulas;

/// Tests, before the mesh is made, if the options that the user gave apply to the kind of problem.
bool stationary_formulas_check(const StationaryOptions *options, Error *error);

/// Sets the default force of a body, 1000 N/m^3 downward, unless formulas define a load. Needs the mesh. Fails if an
/// option concerns the z axis of a plane body, or plane strain and stress of a body in space. Errors name the mesh
/// `name`.
bool stationary_options_settle(StationaryOptions *options, const CellMesh *mesh, const char *name, Error *error);

/// Parses the formulas. Fails if an option is not a formula, if it contains a name that is no group of the mesh `name`,
/// or if it uses `field` at points other than nodes. The error names the option. The caller must destroy the formulas
/// in any case.
bool stationary_formulas_read(StationaryFormulas *formulas, const StationaryOptions *options, const CellMesh *mesh,
                              const double *field, const char *name, Error *error);
void stationary_formulas_destroy(StationaryFormulas *formulas);

/// If the formula --factor is given, computes mesh->factor, each cell's factor on the conductivity, rigidity or moduli.
/// The formula is evaluated at the cell's centre; `field` is its mean over the cell's nodes. Fails if a factor is not
/// positive.
bool stationary_factors(const StationaryFormulas *formulas, CellMesh *mesh, Error *error);

/// Evaluates a Formula at a point, as a StationaryFunction.
double stationary_formula_at(const void *formula, const double x[3], double gradient[3]);

// Arrays of a problem, by nodes [node_count] and by unknowns [n]; owned.
typedef struct StationaryArrays {
  uint8_t *held, *fixed;  // held nodes, and held unknowns
  double *source, *share, *load, *value;
  bool warned;  // the warning about sides whose slopes are not held has been printed
} StationaryArrays;

bool stationary_arrays_create(StationaryArrays *arrays, const CellMesh *mesh, const StationaryElement *element,
                              Error *error);
void stationary_arrays_destroy(StationaryArrays *arrays);  // accepts zeroed arrays

/// Fills the problem from the options, for stationary_create and stationary_change; it borrows the arrays. Fails if
/// nothing is held.
bool stationary_problem_fill(StationaryProblem *problem, StationaryArrays *arrays, const CellMesh *mesh,
                             const StationaryElement *element, const StationaryOptions *options,
                             const StationaryFormulas *formulas, Error *error);
