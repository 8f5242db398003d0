// Computes natural vibrations of a body (modes.h).
#include "sim/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/direct/arpack.h"
#include "sim/direct/eigen.h"
#include "sim/direct/entries.h"
#include "sim/simulation_parts.h"

const char *modes_absence(void) {
  const char *absence = factor_cholmod.absence();
  return absence ? absence : arpack_absence();
}

// Fills M, the values of the mass matrix. M has the sparsity pattern of the tangent matrix (`entries`).
static void fill_masses(const Simulation *w, const Entries *entries, double *M) {
  const Adjacency *graph = &w->space.graph;
  for (int a = 0; a < w->space.node_count; a++)
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int b = graph->neighbour[pair];
      const bool consistent = w->masses.diagonal;
      const double own = consistent ? w->masses.diagonal[a] : w->mass[a];
      if (b > a || (b < a && !consistent)) continue;
      for (int i = 0; i < 3; i++)
        M[entries_find(entries, 3 * (int64_t)b + i, 3 * (int64_t)a + i)] = b == a ? own : w->masses.couple[pair];
    }
}

// Computes the effective masses of mode k, and its shape, scaled so that the largest displacement is 1. x is the
// eigenvector of the mode, and `product` is M x with the mass matrix M.
static void describe_mode(const Simulation *w, const double *x, const double *product, int k, Modes *modes) {
  double total = 0, largest = 0, part[3] = { 0 };
  for (int a = 0; a < modes->nodes; a++) {
    double length2 = 0;
    total += w->mass[a];
    for (int i = 0; i < 3; i++) {
      part[i] += product[3 * a + i];
      length2 += x[3 * a + i] * x[3 * a + i];
    }
    largest = fmax(largest, length2);
  }
  for (int i = 0; i < 3; i++) modes->mass[k][i] = part[i] * part[i] / total;
  double(*shape)[3] = modes->shape + (size_t)k * (size_t)modes->nodes;
  for (int a = 0; a < modes->nodes; a++)
    for (int i = 0; i < 3; i++) shape[w->user_node[a]][i] = x[3 * a + i] / sqrt(largest);
}

// Solves K x = lambda M x (tangent K, mass matrix M) for the `count` lowest eigenvalues lambda, and fills *modes.
static bool solve(const Simulation *w, const EigenProblem *problem, int count, Modes *modes, Error *error) {
  const double RIGID = 1e-3, pi = acos(-1);  // a mode is rigid if |eigenvalue| <= RIGID * |shift of the eigensolver|
  const int n = w->A.n;
  EigenResult result = { 0 };
  double *product = array_new(n, sizeof *product, "modes", error);
  *modes = (Modes){ .count = count, .nodes = w->space.node_count };
  modes->eigenvalue = array_new(count, sizeof *modes->eigenvalue, "modes", error);
  modes->frequency = array_new(count, sizeof *modes->frequency, "modes", error);
  modes->mass = array_new(count, sizeof *modes->mass, "modes", error);
  modes->shape = array_new((int64_t)count * modes->nodes, sizeof *modes->shape, "modes", error);
  const bool ok = product && modes->eigenvalue && modes->frequency && modes->mass && modes->shape &&
                  eigen_lowest(problem, count, &result, error);
  for (int k = 0; ok && k < count; k++) {
    const double *x = result.vector + (size_t)k * (size_t)n, value = result.value[k];
    columns_multiply(problem->columns, problem->M, x, product);
    modes->eigenvalue[k] = value;
    const bool rigid = fabs(value) <= RIGID * fabs(result.shift);
    modes->frequency[k] = rigid ? 0 : copysign(sqrt(fabs(value)), value) / (2 * pi);
    modes->rigid += rigid;
    describe_mode(w, x, product, k, modes);
  }

  eigen_result_free(&result);
  free(product);
  if (!ok) modes_destroy(modes);
  return ok;
}

bool simulation_modes(Simulation *w, int count, Modes *modes, Error *error) {
  *modes = (Modes){ 0 };
  if (modes_absence()) return error_set(error, "the computation of modes is not available: %s", modes_absence());
  if (w->settings.precision != PRECISION_F64 || w->A.method->stage.device != DEVICE_CPU)
    return error_set(error,
                     "modes need precision double and a matrix on the CPU; use precision \"double\", solver "
                     "\"cholmod\" and solver_device \"cpu\"");

  Entries entries = { 0 };
  uint8_t *held = array_new(w->A.n, 1, "held unknowns", error);
  double *K = NULL, *M = NULL, min_J;
  bool ok = held && w->newton_functions->tangent(&w->newton, &min_J, error) &&
            w->arrays->held(w->motion, held, simulation_stream(w), error) &&
            entries_create(&entries, &w->A, NULL, 0, error);
  if (ok) {
    K = array_new(entries.columns.start[w->A.n], sizeof *K, "matrix values", error);
    M = array_new(entries.columns.start[w->A.n], sizeof *M, "matrix values", error);
    ok = K && M && entries_copy(&entries, &w->A, K, error);
  }
  if (ok) {
    fill_masses(w, &entries, M);
    columns_fix(&entries.columns, held, 1, K);
    columns_fix(&entries.columns, held, 0, M);
    ok = solve(w, &(EigenProblem){ &entries.columns, K, M }, count, modes, error);
  }

  entries_destroy(&entries);
  free(held);
  free(K);
  free(M);
  return ok;
}

void modes_destroy(Modes *modes) {
  free(modes->eigenvalue);
  free(modes->frequency);
  free(modes->mass);
  free(modes->shape);
  *modes = (Modes){ 0 };
}
