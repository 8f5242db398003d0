// Checks a mesh that comes from a user of the library, before its indices are used.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fails if an array is missing, a cell has a node that does not exist, a node belongs to no cell, a number is out of
/// range or not finite, or a cell has no volume. Inverted cells are accepted. Each array is read only once.
bool mesh_check(const TetMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
