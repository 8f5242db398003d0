// Joins several meshes into one.
#pragma once
#include "mesh/tet_mesh.h"

/// Appends the nodes and cells of `more` to `mesh`, without connecting them to its cells. Both meshes must have cells
/// of one shape. `more` may be empty afterwards.
bool mesh_join(TetMesh *mesh, TetMesh *more, Error *error);
