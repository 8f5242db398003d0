// Converts a CellMesh to a TetMesh and a Surface, which the renderer draws. Nodes keep their numbers, so nodal values
// need no renumbering. A mesh in the plane is converted only to a Surface.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/surface.h"

// The tets and surface triangles of a CellMesh, for drawing. A zeroed CellSurface is empty.
typedef struct CellSurface {
  TetMesh mesh;     // the tets; each hex is divided into six tets; empty for a plane mesh
  Surface surface;  // triangles of the boundary; for a plane mesh, of all cells, counter-clockwise seen from +z
} CellSurface;

/// Creates the tets and the triangles of a mesh. Fails if the mesh is too large, if cells overlap, or if memory runs
/// out.
bool cell_surface_create(CellSurface *made, const CellMesh *mesh, Error *error);
void cell_surface_destroy(CellSurface *made);
