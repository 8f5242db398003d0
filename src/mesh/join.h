// Joins several meshes into one.
#pragma once
#include "mesh/tet_mesh.h"

/// Appends the nodes and cells of `more` to `mesh`; the two parts stay unconnected. Both must have cells of one shape.
/// Afterwards `more` may be empty.
bool mesh_join(TetMesh *mesh, TetMesh *more, Error *error);
