// Meshes of a rectangle or a box that is divided uniformly along each direction, for any shape of cells.
#pragma once
#include "mesh/cell_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Grid {
  CellShape shape;
  int cells[3];    // squares or cubes along each direction; the third is ignored in the plane
  double low[3];   // the corner with the smallest coordinates, m
  double size[3];  // m
  double distort;  // corners inside the boundary move by up to this fraction of a cell's side in each direction
  uint64_t seed;   // seed of these moves
} Grid;

/// Creates the mesh of a grid. Triangles: two per square, cut from its low corner to its high one. Tets: six per cube
/// (mesh_make_box). For higher degrees the other nodes stay at their positions between the moved corners. Nodes are
/// numbered along x, then y, then z. Fails if a number is out of range, a cell would be inverted, or the mesh would be
/// too large.
bool grid_make(const Grid *grid, CellMesh *mesh, Error *error);

/// Sets on_boundary [node_count] to 1 for nodes on the sides of the grid, else 0.
void grid_boundary(const Grid *grid, const CellMesh *mesh, uint8_t *on_boundary);

#ifdef __cplusplus
}
#endif
