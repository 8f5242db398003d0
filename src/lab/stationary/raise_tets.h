// Makes quadratic or cubic tets from linear ones, for stationary problems.
#pragma once
#include "mesh/cell_mesh.h"

/// Raises a mesh of linear tets to degree 2 or 3 (mesh_raise). Corners keep their numbers, and new nodes follow. New
/// nodes on facets of a group become nodes of the group. Does nothing for degree 1. Fails for other cells and degrees,
/// or if memory runs out; the mesh can then only be destroyed.
bool raise_tets(CellMesh *mesh, int degree, Error *error);
