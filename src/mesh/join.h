// Several meshes as one.
#pragma once
#include "mesh/tet_mesh.h"

/// Appends `more`, of cells of the same shape, which may be emptied, to a mesh: they touch nowhere.
bool mesh_join(TetMesh *mesh, TetMesh *more, Error *error);
