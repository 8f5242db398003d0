// Several meshes as one.
#pragma once
#include "mesh/tet_mesh.h"

/// Appends `more`, of the same degree, which may be emptied, to a mesh: they touch nowhere.
bool mesh_join(TetMesh *mesh, TetMesh *more, Error *error);
