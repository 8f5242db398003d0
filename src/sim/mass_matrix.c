// Consistent masses: see mass_matrix.h.
#include "sim/mass_matrix.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

// of one cell, by its shape
static bool find_bounds(MassMatrix *m, CellShape shape, Error *error) {
  if (shape == CELL_TET4)
    m->low = 0.5, m->high = 2.5;
  else if (shape == CELL_TET10)
    m->low = 0.25, m->high = 4.34747;
  else if (shape == CELL_TET20)
    m->low = 0.19949, m->high = 3.20841;
  else
    return error_set(error, "mass \"consistent\" is for bodies of tets; take \"lumped\"");
  return true;
}

bool mass_matrix_create(MassMatrix *matrix, const Space *space, double density, Error *error) {
  MassMatrix made = { 0 };
  const int nodes = space->cell_nodes;
  double M[CELL_NODES_MAX * CELL_NODES_MAX];
  if (!find_bounds(&made, space->shape, error)) return false;
  cell_shape_mass(space->shape, M);
  made.own = array_new(space->node_count, sizeof *made.own, "masses", error);
  made.couple = array_new(space_pairs(space), sizeof *made.couple, "masses", error);
  bool ok = made.own && made.couple;
  for (int e = 0; ok && e < space->cell_count; e++) {
    const int *node = space_cell(space, e);
    const double own = space->density ? space->density[e] : NAN;
    const double whole = (isnan(own) ? density : own) * space_cell_volume(space, e);
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < nodes; b++) {
        const double share = whole * M[a * nodes + b];
        if (a == b)
          made.own[node[a]] += share;
        else
          made.couple[adjacency_find(&space->graph, node[a], node[b])] += share;
      }
    ok = e % 4096 != 0 || interrupt_check(error);
  }
  if (ok)
    *matrix = made;
  else
    mass_matrix_destroy(&made);
  return ok;
}

void mass_matrix_destroy(MassMatrix *matrix) {
  free(matrix->own), free(matrix->couple);
  *matrix = (MassMatrix){ 0 };
}

void mass_matrix_multiply(const MassMatrix *matrix, const Space *space, const double (*v)[3], double (*p)[3]) {
  const Adjacency *graph = &space->graph;
  for (int a = 0; a < space->node_count; a++)
    for (int i = 0; i < 3; i++) {
      double sum = matrix->own[a] * v[a][i];
      for (int64_t k = graph->start[a]; k < graph->start[a + 1]; k++)
        sum += matrix->couple[k] * v[graph->neighbour[k]][i];
      p[a][i] = sum;
    }
}
