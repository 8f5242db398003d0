// Converts a CellMesh to the form in which bodies are drawn: a TetMesh and a Surface. Both keep the node numbers of the
// CellMesh, so values at nodes can be used without renumbering. A plane mesh has only a surface.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/surface.h"

// A zeroed CellSurface is empty.
typedef struct CellSurface {
  TetMesh mesh;     // the tets; each hex is divided into six tets; empty for a plane mesh
  Surface surface;  // in a plane mesh triangles are counter-clockwise seen from +z
} CellSurface;

/// Fails if the mesh is too large, if its cells overlap, or if memory runs out.
bool cell_surface_create(CellSurface *made, const CellMesh *mesh, Error *error);
void cell_surface_destroy(CellSurface *made);
