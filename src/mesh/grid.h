// Meshes of a rectangle or a box, divided uniformly along each direction. The cells are linear triangles, tets or
// hexes, or quads of degree 1 to 4.
#pragma once
#include "mesh/cell_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Parameters of a grid.
typedef struct Grid {
  CellShape shape;
  int cells[3];    // number of small rectangles or boxes along each direction; a rectangle ignores cells[2]
  double low[3];   // m, corner with the smallest coordinates
  double size[3];  // lengths of the sides, m
  double distort;  // inner corners of cells are moved randomly by up to this fraction of a cell's side per direction
  uint64_t seed;   // seed of the random numbers
} Grid;

/// Creates the mesh of a grid, which is divided into small rectangles or boxes. For triangles, each small rectangle is
/// divided into two along the diagonal from its low to its high corner. For tets, each small box is divided into six
/// around a diagonal. The other nodes of quads of higher degree follow from the corners by the bilinear map, also after
/// `distort` has moved the corners. Nodes are numbered along x first, then y, then z. Fails for tets of higher degree,
/// or if a number is out of range, a cell would be inverted, or the mesh would be too large.
bool grid_make(const Grid *grid, CellMesh *mesh, Error *error);

/// Sets on_boundary [node_count] to 1 for nodes on the boundary of the rectangle or box, and to 0 for all others.
void grid_boundary(const Grid *grid, const CellMesh *mesh, uint8_t *on_boundary);

#ifdef __cplusplus
}
#endif
