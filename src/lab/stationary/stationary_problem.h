// A stationary problem defined by options and formulas: held values and loads.
#pragma once
#include "base/formula.h"
#include "lab/stationary/run_stationary.h"

// The parsed formulas; formulas not given are empty. Formulas of the boundary may contain names of the mesh's groups,
// each 1 on its nodes and facets and 0 elsewhere; formulas of nodes may contain the word `field`.
typedef struct StationaryFormulas {
  Formula of[STATIONARY_FORMULAS];
  const double *field;  // [node_count], borrowed; may be NULL
  double largest;       // bound on the magnitude of their values
} StationaryFormulas;

/// Tests, before the mesh is made, if the given options belong to the kind of problem.
bool stationary_formulas_check(const StationaryOptions *options, Error *error);

/// Sets a body's default force, once the mesh is known: 1000 N/m^3 downward, unless formulas define it. Fails if an
/// option concerns z of a plane body, or the plane of a body in space; errors name the mesh `name`.
bool stationary_options_settle(StationaryOptions *options, const CellMesh *mesh, const char *name, Error *error);

/// Parses the formulas. Fails with the option that is no formula, that names no group of the mesh `name`, or that uses
/// the field at points other than nodes. The caller destroys them in any case.
bool stationary_formulas_read(StationaryFormulas *formulas, const StationaryOptions *options, const CellMesh *mesh,
                              const double *field, const char *name, Error *error);
void stationary_formulas_destroy(StationaryFormulas *formulas);

/// Computes each cell's factor on the coefficient into mesh->factor, if a formula is given: at the cell's middle, with
/// the mean of the field at its nodes. Fails if a factor is not above 0.
bool stationary_factors(const StationaryFormulas *formulas, CellMesh *mesh, Error *error);

/// Evaluates a Formula at a point, as a StationaryFunction.
double stationary_formula_at(const void *formula, const double x[3], double gradient[3]);

// Arrays of a problem, by nodes [node_count] and by unknowns [n]; owned.
typedef struct StationaryArrays {
  uint8_t *held, *fixed;  // held nodes, and held unknowns
  double *source, *share, *load, *value;
  bool warned;  // the warning that some sides hold no slope was printed
} StationaryArrays;

bool stationary_arrays_create(StationaryArrays *arrays, const CellMesh *mesh, const StationaryElement *element,
                              Error *error);
void stationary_arrays_destroy(StationaryArrays *arrays);  // accepts zeroed arrays

/// Fills the problem from the options, for stationary_create and stationary_change; it borrows the arrays. Fails if
/// nothing is held.
bool stationary_problem_fill(StationaryProblem *problem, StationaryArrays *arrays, const CellMesh *mesh,
                             const StationaryElement *element, const StationaryOptions *options,
                             const StationaryFormulas *formulas, Error *error);
