// Joins several meshes into one.
#pragma once
#include "mesh/tet_mesh.h"

/// Appends copies of the nodes and cells of `more` to `mesh`. Nodes are not merged, so the two meshes stay separate
/// bodies. The cells of both meshes must have the same shape. If `mesh` is empty, `more` is moved to `mesh` instead of
/// being copied, and is then empty.
bool mesh_join(TetMesh *mesh, TetMesh *more, Error *error);
