// Joins several meshes into one.
#pragma once
#include "mesh/tet_mesh.h"

/// Appends `more`, of cells of the same shape, to a mesh without connecting them; `more` may be emptied.
bool mesh_join(TetMesh *mesh, TetMesh *more, Error *error);
