// Meshes of a rectangle or a box that is divided alike along each direction, of any shape of cells.
#pragma once
#include "mesh/cell_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Grid {
  CellShape shape;
  int cells[3];    // squares or cubes along each direction; of the plane the third does not count
  double low[3];   // the corner with the smallest coordinates, m
  double size[3];  // m
  double distort;  // corners of cells that are not on the boundary move by up to this part of a cell's side each way
  uint64_t seed;   // of these moves
} Grid;

/// Triangles: two a square, cut from its low corner to its high one. Tets: six a cube (mesh_make_box). Of a higher
/// degree the other nodes stand between the corners' as if nothing had moved. Nodes are numbered along x, then y, then
/// z. Fails where a number is out of range, a cell would turn over, or the mesh would be too large.
bool grid_make(const Grid *grid, CellMesh *mesh, Error *error);

/// 1 on the nodes [node_count] that lie on the sides of the grid, else 0.
void grid_boundary(const Grid *grid, const CellMesh *mesh, uint8_t *on_boundary);

#ifdef __cplusplus
}
#endif
