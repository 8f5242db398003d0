// Creates the struct QuadCells (quad_cells.h), which loops over quadrilaterals read: nodes and maps of cells, and the
// lists by which results of cells are summed at nodes.
#include "lab/quad/quad_cells.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"

int REAL_NAME(quad_degree)(const Space *space, Error *error) {
  for (int p = 1; p < QUAD_LINE_MAX; p++)
    if (space->cell_nodes == (p + 1) * (p + 1) && space->node_dof == 1) return p;
  error_set(error,
            "this method needs quadrilaterals of degree 1 to 4 with one unknown per node, but the cells have %d nodes "
            "with %d unknowns each",
            space->cell_nodes, space->node_dof);
  return 0;
}

// Computes the map of cell e: the seven numbers of a QuadMap (quad_rule.h), from the positions of its four corners.
static void map_cell(const Space *space, int degree, int e, real map[QUAD_MAP]) {
  const int corner[4] = { 0, degree, degree * (degree + 1), (degree + 1) * (degree + 1) - 1 };
  const double *X[4];
  for (int k = 0; k < 4; k++) X[k] = space->X[space_cell(space, e)[corner[k]]];
  for (int i = 0; i < 2; i++) {
    map[i] = (real)((X[1][i] - X[0][i] + X[3][i] - X[2][i]) / 4);
    map[2 + i] = (real)((X[3][i] - X[2][i] - X[1][i] + X[0][i]) / 4);
    map[4 + i] = (real)((X[2][i] - X[0][i] + X[3][i] - X[1][i]) / 4);
  }
  map[6] = (real)(space->stiffness ? space->stiffness[e] : 1);
}

// Arguments of the loop over cells that fills two arrays on the host: node [cell_nodes][cell_count], the nodes of each
// cell, and map [QUAD_MAP][cell_count], the seven numbers of each cell's map (QuadMap).
typedef struct CellLists {
  const QuadCells *cells;
  const Space *space;
  int *node;
  real *map;
} CellLists;

static void list_cells(const void *lists, int first, int last) {
  const CellLists *l = lists;
  const size_t cells = (size_t)l->cells->cell_count;
  for (int e = first; e < last; e++) {
    real own[QUAD_MAP];
    map_cell(l->space, l->cells->degree, e, own);
    for (int k = 0; k < QUAD_MAP; k++) l->map[(size_t)k * cells + (size_t)e] = own[k];
    for (int i = 0; i < l->cells->cell_nodes; i++) l->node[(size_t)i * cells + (size_t)e] = space_cell(l->space, e)[i];
  }
}

// Copies the nodes and maps of all cells to the device. Number k of cell e is at index k * cell_count + e, so that
// threads of neighbouring cells read neighbouring addresses.
static bool put_cells(QuadCells *c, const Space *space, Error *error) {
  enum { CHUNK = 2048 };
  const size_t cells = (size_t)c->cell_count;
  const real one = 1;
  int *node = array_new((int64_t)c->cell_count * c->cell_nodes, sizeof *node, "cells", error);
  real *map = array_new((int64_t)c->cell_count * QUAD_MAP, sizeof *map, "cells", error);
  if (node && map) {
    parallel_for(c->cell_count, CHUNK, list_cells, &(CellLists){ c, space, node, map });
    c->node = device_clone(c->device, node, sizeof *node * cells * (size_t)c->cell_nodes, error);
    c->map = device_clone(c->device, map, sizeof *map * cells * QUAD_MAP, error);
    c->scale = device_clone(c->device, &one, sizeof one, error);
  }
  free(node);
  free(map);
  return c->node && c->map && c->scale;
}

// Returns the local number, 0 to cell_nodes - 1, that node a has in cell e.
static int local_of(const Space *space, int e, int a) {
  int i = 0;
  while (space_cell(space, e)[i] != a) i++;
  return i;
}

// Lists, for each node a, the results of cells that are summed there: corner[start[a]] to corner[start[a + 1] - 1] are
// their indices in QuadCells.vectors. The result of cell e for its local node i has the index i * cell_count + e.
static void list_corners(const QuadCells *c, const Space *space, const NodeCells *at, int *start, int *corner) {
  int count = 0;
  for (int a = 0; a < c->node_count && !interrupt_requested(); a++) {
    for (int64_t t = at->start[a]; t < at->start[a + 1]; t++)
      corner[count++] = local_of(space, at->cell[t], a) * c->cell_count + at->cell[t];
    start[a + 1] = count;
  }
}

static bool put_corners(QuadCells *c, const Space *space, Error *error) {
  NodeCells at = { 0 };
  const int64_t corners = (int64_t)c->cell_count * c->cell_nodes;
  int *start = NULL, *corner = NULL;
  if (corners > INT32_MAX)
    return error_set(error,
                     "the mesh is too large: its cells have %lld nodes in total, the limit is %d; use a coarser mesh",
                     (long long)corners, INT32_MAX);
  bool ok = node_cells_create(&at, space, error);
  ok = ok && (start = array_new((int64_t)c->node_count + 1, sizeof *start, "nodes", error)) &&
       (corner = array_new(corners, sizeof *corner, "cells", error));
  if (ok) list_corners(c, space, &at, start, corner);
  if (ok && (ok = interrupt_check(error))) {
    c->start = device_clone(c->device, start, sizeof *start * ((size_t)c->node_count + 1), error);
    c->corner = device_clone(c->device, corner, sizeof *corner * (size_t)corners, error);
    c->vectors = device_alloc(c->device, sizeof(real) * (size_t)corners, error);
    ok = c->start && c->corner && c->vectors;
  }
  free(start);
  free(corner);
  node_cells_destroy(&at);
  return ok;
}

static bool put_strips(QuadCells *c, const Space *space, Error *error) {
  if (!quad_strips_create(&c->strips, space, c->degree, 0, c->device, error)) return false;
  c->vectors = device_alloc(c->device, sizeof(real) * (size_t)c->strips.slot_count, error);
  return c->vectors;
}

// Creates the lists that the methods of summation QUAD_GATHERED and QUAD_STRIPS need. On the CPU these are the indices
// of the results that each node sums, and on a GPU the strips of cells. Other methods need no lists.
static bool put_summation(QuadCells *c, const Space *space, QuadSum summation, Error *error) {
  if (summation != QUAD_GATHERED && summation != QUAD_STRIPS) return true;
  return c->device == DEVICE_CPU ? put_corners(c, space, error) : put_strips(c, space, error);
}

bool REAL_NAME(quad_cells_block)(QuadCells *cells, const Space *space, QuadSum summation, int block, Error *error) {
  cell_colours_destroy(&cells->colours);
  if (summation == QUAD_COLOURED) return cell_colours_create(&cells->colours, space, cells->device, block, error);
  cells->colours = (CellColours){ .device = cells->device,
                                  .block = block,
                                  .block_count = cells->cell_count / block + (cells->cell_count % block > 0) };
  if (cells->strips.strip_count > 0)  // count the blocks by strips: a warp of 32 threads processes one strip
    cells->colours.block_count = (cells->strips.strip_count * QUAD_TILE - 1) / block + 1;
  return true;
}

bool REAL_NAME(quad_cells_create)(QuadCells *cells, const Space *space, Device device, QuadSum summation, int block,
                                  Error *error) {
  const int degree = REAL_NAME(quad_degree)(space, error);
  if (!degree) return false;
  *cells = (QuadCells){ .device = device,
                        .degree = degree,
                        .cell_nodes = space->cell_nodes,
                        .cell_count = space->cell_count,
                        .node_count = space->node_count,
                        .rule = quad_rule(degree) };
  if (put_cells(cells, space, error) && put_summation(cells, space, summation, error) &&
      REAL_NAME(quad_cells_block)(cells, space, summation, block, error))
    return true;
  REAL_NAME(quad_cells_destroy)(cells);
  return false;
}

void REAL_NAME(quad_cells_destroy)(QuadCells *c) {
  void *const arrays[] = { c->node, c->map, c->scale, c->start, c->corner, c->vectors };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(c->device, arrays[k]);
  quad_strips_destroy(&c->strips);
  cell_colours_destroy(&c->colours);
  *c = (QuadCells){ 0 };
}
