// Checks a mesh that a user of the library has passed, before its indices are used.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fails if an array is missing, a cell has a node that does not exist, a node belongs to no cell, a number is not
/// finite or out of range, or a cell has no volume. Accepts inverted cells. Reads each array only once.
bool mesh_check(const TetMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
