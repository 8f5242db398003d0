// Meshes of degree 2 and 3. They are made from linear meshes, or read from a file that has nodes on edges. Edge nodes
// from a file are checked and moved to the middles of their edges.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Raises a linear mesh to degree 2 (one more node in the middle of each edge) or 3 (two more nodes on each edge, at a
/// third and two thirds, and one in the middle of each face). New nodes on edges come first, sorted by the corners of
/// their edge, and then those on faces, sorted by the corners of their face. Their tags (numbers) continue after the
/// largest tag of the file. The arrays mesh->body and mesh->damping must be NULL. A mesh that has this degree already
/// is not changed. Fails for hexahedra, for a mesh of another degree than 1, if memory runs out, if there would be too
/// many nodes, or if interrupted; the mesh then has its former degree.
bool mesh_raise(TetMesh *mesh, int degree, Error *error);

/// Makes a quadratic or cubic mesh linear: tets keep only their corners. The nodes that are then in no tet stay in the
/// mesh. A linear mesh is not changed.
void mesh_linearise(TetMesh *mesh);

/// Moves the nodes on edges of a quadratic mesh to the middles of the edges. A notice that begins with `name` gives the
/// number of edges that were curved. Fails if two tets have different nodes on their common edge, if a node is on two
/// edges, or if a node on an edge is also a corner. A linear mesh is not changed.
bool mesh_straighten(TetMesh *mesh, const char *name, Error *error);

/// Computes the positions of all nodes on edges and faces from the positions of the corners, after the corners were
/// moved. A linear mesh is not changed.
void mesh_place_middles(TetMesh *mesh);

enum { MESH_PARTS_MAX = 8 };

/// Divides cell e into linear tets for drawing, with the cell's orientation. Returns their number, which is equal for
/// all cells of a mesh. A linear tet is one tet. A quadratic tet becomes 8 tets with corners at its nodes, and a cubic
/// tet becomes one tet between its corners. A hex becomes 6 tets around a diagonal. On the boundary, the faces of these
/// tets are the triangles of Surface.
int mesh_parts_of_tet(const TetMesh *mesh, int e, int part[MESH_PARTS_MAX][4]);

/// Returns the nodes of all cells as an array [tet_count][mesh_cell_nodes], in the order of cell_shape.h. The caller
/// releases the array by free(). Returns NULL if memory runs out.
int *mesh_cells(const TetMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
