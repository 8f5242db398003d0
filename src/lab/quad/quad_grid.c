// Finds the grid of quadrilaterals, and creates coarser spaces: see quad_grid.h.
#include "lab/quad/quad_grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"

// CELLS_MIN: a direction with at most this number of cells is not coarsened. CHUNK: number of cells that one piece of a
// parallel loop fills.
enum { CELLS_MIN = 3, CHUNK = 1024 };

static const CellShape shapes[] = { CELL_QUAD4, CELL_QUAD9, CELL_QUAD16, CELL_QUAD25 };

void quad_grid_destroy(QuadGrid *grid) {
  free(grid->cell);
  free(grid->node);
  *grid = (QuadGrid){ 0 };
}

// Returns the cell that follows cell `e` along a direction; -1: none. from [node_count]: the cell whose local node 0 is
// this node, or -1.
static int next_cell(const Space *space, int degree, const int *from, int e, int direction) {
  return from[space_cell(space, e)[direction == 0 ? degree : degree * (degree + 1)]];
}

// Fills grid->cell, by steps from cell to cell: from the first cell upwards, and from each cell of this column to the
// right. Returns false if the cells are no grid.
static bool walk_cells(QuadGrid *grid, const Space *space, const int *from, int first) {
  const int p = grid->degree;
  int width = 0, height = 0;
  for (int e = first; e >= 0 && width <= space->cell_count; e = next_cell(space, p, from, e, 0)) width++;
  for (int e = first; e >= 0 && height <= space->cell_count; e = next_cell(space, p, from, e, 1)) height++;
  if (width < 2 || height < 2 || (int64_t)width * height != space->cell_count) return false;
  grid->cells[0] = width;
  grid->cells[1] = height;
  for (int i = 0; i < 2; i++) grid->lines[i] = p * grid->cells[i] + 1;
  if ((int64_t)grid->lines[0] * grid->lines[1] != space->node_count) return false;
  for (int j = 0, row = first; j < height; j++, row = next_cell(space, p, from, row, 1))
    for (int i = 0, e = row; i < width; i++, e = next_cell(space, p, from, e, 0)) {
      if (e < 0) return false;
      grid->cell[(int64_t)j * width + i] = e;
    }
  return true;
}

// Fills grid->node from the nodes of the cells. Returns false if two cells have different nodes at one place, or if a
// node is at two places. seen [node_count] must be 0.
static bool place_nodes(QuadGrid *grid, const Space *space, uint8_t *seen) {
  const int p = grid->degree;
  memset(grid->node, -1, sizeof *grid->node * (size_t)space->node_count);
  for (int j = 0; j < grid->cells[1]; j++)
    for (int i = 0; i < grid->cells[0]; i++) {
      const int *node = space_cell(space, grid->cell[(int64_t)j * grid->cells[0] + i]);
      for (int k = 0; k < space->cell_nodes; k++) {
        int *at = &grid->node[(int64_t)(j * p + k / (p + 1)) * grid->lines[0] + i * p + k % (p + 1)];
        if (*at == node[k]) continue;
        if (*at >= 0 || seen[node[k]]) return false;
        *at = node[k];
        seen[node[k]] = 1;
      }
    }
  return true;
}

bool quad_grid_find(QuadGrid *grid, const Space *space, int degree, Error *error) {
  const int nodes = space->node_count, corner[] = { degree, degree * (degree + 1), degree * (degree + 2) };
  *grid = (QuadGrid){ .degree = degree };
  grid->cell = array_new(space->cell_count, sizeof *grid->cell, "cells", error);
  grid->node = array_new(nodes, sizeof *grid->node, "nodes", error);
  int *from = array_new(nodes, sizeof *from, "nodes", error), first = -1;
  uint8_t *seen = array_new(nodes, sizeof *seen, "nodes", error);
  const bool memory = grid->cell && grid->node && from && seen;
  bool ok = memory;
  if (memory) {
    // The first cell is the only one whose local node 0 is no other corner of a cell.
    memset(from, -1, sizeof *from * (size_t)nodes);
    for (int e = 0; e < space->cell_count; e++) {
      from[space_cell(space, e)[0]] = e;
      for (int k = 0; k < 3; k++) seen[space_cell(space, e)[corner[k]]] = 1;
    }
    for (int e = 0; e < space->cell_count && first < 0; e++)
      if (!seen[space_cell(space, e)[0]]) first = e;
    memset(seen, 0, (size_t)nodes);
    ok = first >= 0 && walk_cells(grid, space, from, first) && place_nodes(grid, space, seen);
  }

  free(from);
  free(seen);
  if (ok) return true;
  quad_grid_destroy(grid);
  return memory && error_set(error,
                             "the cells must form a grid of at least 2 x 2 quadrilaterals with the same orientation, "
                             "without holes, but these %d cells do not",
                             space->cell_count);
}

// Computes the position X that the bilinear map of corners gives at (s, t) in the unit square.
static void map_corners(const double *corner[4], double s, double t, double X[3]) {
  for (int d = 0; d < 3; d++)
    X[d] = (1 - t) * ((1 - s) * corner[0][d] + s * corner[1][d]) + t * ((1 - s) * corner[2][d] + s * corner[3][d]);
}

// Sets *cell to the fine cell at coarse line k of `coarse` along a direction with `fine` cells. Returns the line's
// place in this cell, from 0 to 1.
static double place_line(int k, int coarse, int fine, int *cell) {
  const int64_t at = (int64_t)k * fine;
  *cell = k == coarse ? fine - 1 : (int)(at / coarse);
  return (double)(at - (int64_t)*cell * coarse) / coarse;
}

// Arguments of the loop over the cells of the coarse grid.
typedef struct Coarsening {
  const QuadGrid *fine, *coarse;
  const Space *from;
  Space *to;
} Coarsening;

// Computes the position X of corner (i, j) of the coarse cells.
static void place_corner(const Coarsening *c, int i, int j, double X[3]) {
  const int p = c->fine->degree;
  int x, y;
  const double s = place_line(i, c->coarse->cells[0], c->fine->cells[0], &x);
  const double t = place_line(j, c->coarse->cells[1], c->fine->cells[1], &y);
  const int *node = space_cell(c->from, c->fine->cell[(int64_t)y * c->fine->cells[0] + x]);
  const double *corner[4] = { c->from->X[node[0]], c->from->X[node[p]], c->from->X[node[p * (p + 1)]],
                              c->from->X[node[p * (p + 2)]] };
  map_corners(corner, s, t, X);
}

// Returns the mean factor of the fine cells that overlap coarse cell (i, j).
static double mean_factor(const Coarsening *c, int i, int j) {
  const int place[2] = { i, j };
  int first[2], last[2], count = 0;
  double sum = 0;
  for (int d = 0; d < 2; d++) {
    place_line(place[d], c->coarse->cells[d], c->fine->cells[d], &first[d]);
    if (place_line(place[d] + 1, c->coarse->cells[d], c->fine->cells[d], &last[d]) == 0) last[d]--;
  }
  for (int y = first[1]; y <= last[1]; y++)
    for (int x = first[0]; x <= last[0]; x++, count++)
      sum += c->from->stiffness[c->fine->cell[(int64_t)y * c->fine->cells[0] + x]];
  return sum / count;
}

// Fills coarse cells: their nodes, the positions of these nodes, and the factors of the cells. Neighbouring cells write
// the same bits to a common node only if they compute its position by equal operations. So a cell writes the nodes on
// its upper or right side only if it has no neighbour there.
static void fill_cells(const void *coarsening, int first, int last) {
  const Coarsening *c = coarsening;
  const int q = c->coarse->degree, width = c->coarse->cells[0], line = q + 1;
  for (int e = first; e < last; e++) {
    const int i = e % width, j = e / width;
    double X[4][3];
    for (int k = 0; k < 4; k++) place_corner(c, i + k % 2, j + k / 2, X[k]);
    for (int k = 0; k < line * line; k++) {
      const int x = k % line, y = k / line, a = (j * q + y) * c->coarse->lines[0] + i * q + x;
      c->to->cell[(int64_t)e * line * line + k] = a;
      if ((x < q || i == width - 1) && (y < q || j == c->coarse->cells[1] - 1))
        map_corners((const double *[]){ X[0], X[1], X[2], X[3] }, (double)x / q, (double)y / q, c->to->X[a]);
    }
    c->coarse->cell[e] = e;
    if (c->from->stiffness) c->to->stiffness[e] = mean_factor(c, i, j);
  }
}

// Sets the sizes of the next coarser grid. Returns false if there is none.
static bool choose_coarser(const QuadGrid *fine, QuadGrid *coarse) {
  *coarse = (QuadGrid){ .degree = fine->degree > 1 ? fine->degree - 1 : 1 };
  for (int i = 0; i < 2; i++) {
    const bool halves = fine->degree == 1 && fine->cells[i] > CELLS_MIN;
    coarse->cells[i] = halves ? (fine->cells[i] + 1) / 2 : fine->cells[i];
    coarse->lines[i] = coarse->degree * coarse->cells[i] + 1;
  }
  return fine->degree > 1 || coarse->cells[0] < fine->cells[0] || coarse->cells[1] < fine->cells[1];
}

bool quad_coarsen(const QuadGrid *fine, const Space *fine_space, QuadGrid *coarse, Space *coarse_space, Error *error) {
  *coarse_space = (Space){ 0 };
  if (!choose_coarser(fine, coarse)) {
    *coarse = (QuadGrid){ 0 };
    return true;
  }
  Space made = { .shape = shapes[coarse->degree - 1],
                 .cell_nodes = (coarse->degree + 1) * (coarse->degree + 1),
                 .node_dof = 1,
                 .node_count = coarse->lines[0] * coarse->lines[1],
                 .cell_count = coarse->cells[0] * coarse->cells[1] };
  made.owned_count = made.node_count;
  made.X = array_new(made.node_count, sizeof *made.X, "nodes", error);
  made.cell = array_new((int64_t)made.cell_count * made.cell_nodes, sizeof *made.cell, "cells", error);
  made.stiffness = fine_space->stiffness ? array_new(made.cell_count, sizeof *made.stiffness, "cells", error) : NULL;
  coarse->cell = array_new(made.cell_count, sizeof *coarse->cell, "cells", error);
  coarse->node = array_new(made.node_count, sizeof *coarse->node, "nodes", error);
  if (!made.X || !made.cell || (fine_space->stiffness && !made.stiffness) || !coarse->cell || !coarse->node) {
    space_destroy(&made);
    quad_grid_destroy(coarse);
    return false;
  }

  for (int a = 0; a < made.node_count; a++) coarse->node[a] = a;
  parallel_for(made.cell_count, CHUNK, fill_cells, &(Coarsening){ fine, coarse, fine_space, &made });
  *coarse_space = made;
  return true;
}
