// Meshes of a rectangle or a box, divided uniformly along each direction, with cells of any shape.
#pragma once
#include "mesh/cell_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Parameters of a grid.
typedef struct Grid {
  CellShape shape;
  int cells[3];    // number of squares or cubes along each direction; the third is ignored in the plane
  double low[3];   // m, corner with the smallest coordinates
  double size[3];  // lengths of the sides, m
  double distort;  // corners inside are moved randomly by up to this fraction of a cell's side in each direction
  uint64_t seed;   // seed of the random numbers
} Grid;

/// Creates the mesh of a grid. Triangles: each square is divided into two along the diagonal from its low to its high
/// corner. Tets: each cube is divided into six around a diagonal. Nodes of cells of higher degree lie on straight lines
/// between the corners, also after `distort` has moved the corners. Nodes are numbered along x, then y, then z. Fails
/// if a number is out of range, a cell would be inverted, or the mesh would be too large.
bool grid_make(const Grid *grid, CellMesh *mesh, Error *error);

/// Sets on_boundary [node_count] to 1 for nodes on the sides of the grid, else 0.
void grid_boundary(const Grid *grid, const CellMesh *mesh, uint8_t *on_boundary);

#ifdef __cplusplus
}
#endif
