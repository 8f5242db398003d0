// Computes the consistent mass matrix of a body of tets, and its product with a vector (mass_matrix.h).
#include "sim/element/mass_matrix.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// Sets m->low and m->high, bounds of the eigenvalues of diag(M)^-1 M, where M is the mass matrix. The bounds depend
// only on the shape of the cells. Fails if the cells are not tets.
static bool find_bounds(MassMatrix *m, CellShape shape, Error *error) {
  if (shape == CELL_TET4) {
    m->low = 0.5;
    m->high = 2.5;
  } else if (shape == CELL_TET10) {
    m->low = 0.25;
    m->high = 4.34747;
  } else if (shape == CELL_TET20) {
    m->low = 0.19949;
    m->high = 3.20841;
  } else
    return error_set(error, "mass \"consistent\" supports only bodies of tets; choose mass \"lumped\"");
  return true;
}

// Arguments of sum_rows, a parallel loop over the nodes a. The loop sums row a of the mass matrix over the cells at
// node a.
typedef struct Task {
  const Space *space;
  const NodeCells *cells;
  const double *M;     // [cell_nodes][cell_nodes], the mass matrix of a cell whose mass is 1
  const double *mass;  // [cell_count], the masses of the cells, kg
  MassMatrix *made;
} Task;

static void sum_rows(const void *task, int first, int last) {
  const Task *t = task;
  const int nodes = t->space->cell_nodes;
  for (int a = first; a < last && !interrupt_requested(); a++)
    for (int64_t k = t->cells->start[a]; k < t->cells->start[a + 1]; k++) {
      const int e = t->cells->cell[k], *node = space_cell(t->space, e);
      int local = 0;
      while (node[local] != a) local++;
      for (int b = 0; b < nodes; b++) {
        const double share = t->mass[e] * t->M[local * nodes + b];
        if (b == local)
          t->made->diagonal[a] += share;
        else
          t->made->couple[adjacency_find(&t->space->graph, a, node[b])] += share;
      }
    }
}

bool mass_matrix_create(MassMatrix *matrix, const Space *space, double density, Error *error) {
  enum { CHUNK = 512 };
  MassMatrix made = { 0 };
  NodeCells cells = { 0 };
  double M[CELL_NODES_MAX * CELL_NODES_MAX];
  if (!find_bounds(&made, space->shape, error)) return false;
  cell_shape_mass(space->shape, M);
  double *mass = array_new(space->cell_count, sizeof *mass, "masses", error);
  made.diagonal = array_new(space->node_count, sizeof *made.diagonal, "masses", error);
  made.couple = array_new(space_pairs(space), sizeof *made.couple, "masses", error);
  bool ok = mass && made.diagonal && made.couple && node_cells_create(&cells, space, error);
  for (int e = 0; ok && e < space->cell_count; e++)
    mass[e] = space_cell_density(space, density, e) * space_cell_volume(space, e);
  if (ok) parallel_for(space->node_count, CHUNK, sum_rows, &(Task){ space, &cells, M, mass, &made });
  ok = ok && interrupt_check(error);
  node_cells_destroy(&cells);
  free(mass);
  if (ok)
    *matrix = made;
  else
    mass_matrix_destroy(&made);
  return ok;
}

void mass_matrix_destroy(MassMatrix *matrix) {
  free(matrix->diagonal);
  free(matrix->couple);
  *matrix = (MassMatrix){ 0 };
}

void mass_matrix_multiply(const MassMatrix *matrix, const Space *space, const double (*v)[3], double (*p)[3]) {
  const Adjacency *graph = &space->graph;
  for (int a = 0; a < space->node_count; a++)
    for (int i = 0; i < 3; i++) {
      double sum = matrix->diagonal[a] * v[a][i];
      for (int64_t k = graph->start[a]; k < graph->start[a + 1]; k++)
        sum += matrix->couple[k] * v[graph->neighbour[k]][i];
      p[a][i] = sum;
    }
}
