// A mesh of cells as bodies are drawn: tets and a surface with the cells' own nodes, so that values at nodes need no
// renumbering. Plane meshes have a surface alone.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/surface.h"

// A zeroed CellSurface is empty.
typedef struct CellSurface {
  TetMesh mesh;     // tets as they are; six for each hex; none of a plane mesh
  Surface surface;  // triangles go round to the left where a plane mesh is seen from +z
} CellSurface;

/// Fails where the mesh is too large, its cells overlap, or for lack of memory.
bool cell_surface_create(CellSurface *made, const CellMesh *mesh, Error *error);
void cell_surface_destroy(CellSurface *made);
