// Finds the grid that the quadrilaterals of a space form: rows of cells, and lines of nodes. Nodes and cells of the
// space may have any numbers. Also creates coarser grids for the levels of multigrid (quad_multigrid.h).
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// A grid of cells[0] x cells[1] quadrilaterals of one degree. The grid has lines[0] x lines[1] nodes, where lines[i] =
// degree * cells[i] + 1. The directions are those of the cells: along direction 0, local nodes of a cell follow one
// another. A zeroed QuadGrid is empty.
typedef struct QuadGrid {
  int degree, cells[2], lines[2];
  int *cell;  // [cells[1]][cells[0]], number of the cell at each place of the grid
  int *node;  // [lines[1]][lines[0]], number of the node at each place of the grid
} QuadGrid;

/// Finds the grid of a space whose cells have this degree. Fails if memory runs out, or unless the cells form a grid of
/// at least 2 x 2 cells and have the same orientation: the local node 0 of each cell is in the corner of the smallest
/// indices.
bool quad_grid_find(QuadGrid *grid, const Space *space, int degree, Error *error);
void quad_grid_destroy(QuadGrid *grid);

/// Tests if the node at a place of the grid, an index into QuadGrid.node, is on the boundary of the grid.
static inline bool quad_grid_boundary(const QuadGrid *grid, int place) {
  const int i = place % grid->lines[0], j = place / grid->lines[0];
  return i == 0 || j == 0 || i == grid->lines[0] - 1 || j == grid->lines[1] - 1;
}

/// Creates the next coarser grid of the grid `fine` of the space `fine_space`, and the space of its cells. If the
/// degree is above 1, the coarser grid has the same cells with the degree reduced by 1. Otherwise it has half the cells
/// along each direction, rounded up, but a direction with at most 3 cells keeps them. If there is no coarser grid, the
/// results are empty. Fails if memory runs out.
///
/// Lines of both grids are spread evenly between the same sides. So coarse line k along direction i is at line k *
/// fine->cells[i] / coarse->cells[i] of the fine cells. A line between two fine lines gets its positions by the
/// bilinear maps of fine cells. The stiffness factor of a cell is the mean of those of the fine cells that overlap it.
/// Nodes and cells are numbered along direction 0 first. The space has no neighbours (Space.graph) and no tags.
bool quad_coarsen(const QuadGrid *fine, const Space *fine_space, QuadGrid *coarse, Space *coarse_space, Error *error);

#ifdef __cplusplus
}
#endif
