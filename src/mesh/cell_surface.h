// A mesh of cells in the form in which bodies are drawn: tets and a surface with the nodes of the cells, so that values
// at nodes need no renumbering. Plane meshes have only a surface.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/surface.h"

// A zeroed CellSurface is empty.
typedef struct CellSurface {
  TetMesh mesh;     // a tet mesh's tets; six tets per hex; none for a plane mesh
  Surface surface;  // triangles of a plane mesh are counter-clockwise seen from +z
} CellSurface;

/// Fails if the mesh is too large, if its cells overlap, or if memory runs out.
bool cell_surface_create(CellSurface *made, const CellMesh *mesh, Error *error);
void cell_surface_destroy(CellSurface *made);
