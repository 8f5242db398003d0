// Checks a mesh that a caller has made by hand, before anything reads through its indices.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fails if an array is missing, a cell names a node that does not exist, or a node belongs to no cell. Fails also if a
/// number is not finite or not in its range, or a cell has no volume. Inverted cells pass. Reads each array once.
bool mesh_check(const TetMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
