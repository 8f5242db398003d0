// A stationary problem defined by options and formulas: held values and loads.
#pragma once
#include "lab/steady/formula.h"
#include "lab/steady/run_steady.h"

// The parsed formulas; formulas not given are empty. Formulas of the boundary may contain names of the mesh's groups,
// each 1 on its nodes and facets and 0 elsewhere; formulas of nodes may contain the word `field`.
typedef struct SteadyFormulas {
  Formula of[STEADY_FORMULAS];
  const double *field;  // [node_count], borrowed; may be NULL
  double largest;       // bound on the magnitude of their values
} SteadyFormulas;

/// Tests, before the mesh is made, if the given options belong to the kind of problem.
bool steady_formulas_check(const SteadyOptions *options, Error *error);

/// Sets a body's default force, once the mesh is known: 1000 N/m^3 downward, unless formulas define it. Fails if an
/// option concerns z of a plane body, or the plane of a body in space; errors name the mesh `name`.
bool steady_options_settle(SteadyOptions *options, const CellMesh *mesh, const char *name, Error *error);

/// Parses the formulas. Fails with the option that is no formula, that names no group of the mesh `name`, or that uses
/// the field at points other than nodes. The caller destroys them in any case.
bool steady_formulas_read(SteadyFormulas *formulas, const SteadyOptions *options, const CellMesh *mesh,
                          const double *field, const char *name, Error *error);
void steady_formulas_destroy(SteadyFormulas *formulas);

/// Computes each cell's factor on the coefficient into mesh->factor, if a formula is given: at the cell's middle, with
/// the mean of the field at its nodes. Fails if a factor is not above 0.
bool steady_factors(const SteadyFormulas *formulas, CellMesh *mesh, Error *error);

/// Evaluates a Formula at a point, as a SteadyFunction.
double steady_formula_at(const void *formula, const double x[3], double gradient[3]);

// Arrays of a problem, by nodes [node_count] and by unknowns [n]; owned.
typedef struct SteadyArrays {
  uint8_t *held, *fixed;  // held nodes, and held unknowns
  double *source, *share, *load, *value;
  bool told;  // the warning that some sides hold no slope was printed
} SteadyArrays;

bool steady_arrays_create(SteadyArrays *arrays, const CellMesh *mesh, const SteadyElement *element, Error *error);
void steady_arrays_destroy(SteadyArrays *arrays);  // accepts zeroed arrays

/// Fills the problem from the options, for steady_create and steady_change; it borrows the arrays. Fails if nothing is
/// held.
bool steady_problem_fill(SteadyProblem *problem, SteadyArrays *arrays, const CellMesh *mesh,
                         const SteadyElement *element, const SteadyOptions *options, const SteadyFormulas *formulas,
                         Error *error);
