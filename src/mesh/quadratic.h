// Meshes of degree 2 and 3: linear ones raised, and what is done with those that files bring.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A linear mesh gets the nodes of degree 2 or 3 behind its own: on each edge, in the middle or at thirds, by its lower
/// node and then its higher one, and of degree 3 in the middle of each face; their tags follow the largest of the file.
/// Its nodes must not have bodies or dampings yet. A mesh of that degree stays as it is. Fails for hexahedra, for lack
/// of memory, where there would be more nodes than a mesh may have, or interrupted; the mesh is then linear.
bool mesh_raise(TetMesh *mesh, int degree, Error *error);

/// The corners of a quadratic or cubic mesh as a linear one: nodes that are then unused stay. A linear one stays as it
/// is.
void mesh_linearise(TetMesh *mesh);

/// Puts nodes that are not in the middle of their edge there, with a notice, which begins with `name`, of how many
/// edges were curved. Fails where two tets have different nodes on the edge that they share, where a node is on two
/// edges, or a corner too. Takes a linear mesh, which stays as it is.
bool mesh_straighten(TetMesh *mesh, const char *name, Error *error);

/// Puts nodes on edges and faces where they belong, where corners have moved. Takes a linear mesh, which stays as it
/// is.
void mesh_place_middles(TetMesh *mesh);

enum { MESH_PARTS_MAX = 8 };

/// The linear tets, oriented as it, that stand for a cell where it is drawn: a tet itself, eight between the nodes of a
/// quadratic one, of a cubic one that of its corners, six of a hex around its diagonal, whose outer faces are the
/// triangles of the surface. Returns how many, for any cell of the mesh the same.
int mesh_parts_of_tet(const TetMesh *mesh, int e, int part[MESH_PARTS_MAX][4]);

/// All nodes of the cells, [tet_count][mesh_cell_nodes], in the order of their shape. free() releases it.
int *mesh_cells(const TetMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
