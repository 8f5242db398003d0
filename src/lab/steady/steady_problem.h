// A problem without time as its options and formulas say: what is held where, and what loads it.
#pragma once
#include "lab/steady/formula.h"
#include "lab/steady/run_steady.h"

// The formulas as they were read; those that are not given are empty. What is said of the boundary may hold names of
// the mesh's groups, each 1 on its nodes and facets and 0 elsewhere; what is said of nodes the word `field`.
typedef struct SteadyFormulas {
  Formula of[STEADY_FORMULAS];
  const double *field;  // [node_count], borrowed; NULL: there is none
  double largest;       // size of their values
} SteadyFormulas;

/// Whether the options that are given are those of their kind of problem: for a look before the mesh is made.
bool steady_formulas_check(const SteadyOptions *options, Error *error);

/// Once the mesh is known: a body's force where none is given, 1000 N/m^3 downward unless formulas say it. Fails where
/// something is said along z of a body in the plane, or of one in space which plane it is; the mesh is called `name`.
bool steady_options_settle(SteadyOptions *options, const CellMesh *mesh, const char *name, Error *error);

/// Fails with the option that is no formula, names no group of the mesh, which is called `name`, or the field where
/// more than nodes are asked for. They are destroyed by the caller either way.
bool steady_formulas_read(SteadyFormulas *formulas, const SteadyOptions *options, const CellMesh *mesh,
                          const double *field, const char *name, Error *error);
void steady_formulas_destroy(SteadyFormulas *formulas);

/// What each cell's coefficient is multiplied by, into mesh->factor, where that is given: at its middle, where the
/// field is its nodes' mean. Fails where one is not more than 0.
bool steady_factors(const SteadyFormulas *formulas, CellMesh *mesh, Error *error);

/// A Formula at a point, as a SteadyFunction.
double steady_formula_at(const void *formula, const double x[3], double gradient[3]);

// Arrays of a problem, by nodes [node_count] and by unknowns [n]; owned.
typedef struct SteadyArrays {
  uint8_t *held, *fixed;  // nodes that are held, and unknowns
  double *source, *share, *load, *value;
  bool told;  // that some sides hold no slope: once
} SteadyArrays;

bool steady_arrays_create(SteadyArrays *arrays, const CellMesh *mesh, const SteadyElement *element, Error *error);
void steady_arrays_destroy(SteadyArrays *arrays);  // takes zeroed ones

/// What the options say, for steady_create and steady_change; the problem borrows the arrays. Fails where nothing is
/// held.
bool steady_problem_fill(SteadyProblem *problem, SteadyArrays *arrays, const CellMesh *mesh,
                         const SteadyElement *element, const SteadyOptions *options, const SteadyFormulas *formulas,
                         Error *error);
