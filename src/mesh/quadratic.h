// Meshes of degree 2 and 3: converts linear meshes to these degrees, and checks and moves the nodes on edges that a
// file contains.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Raises a linear mesh to degree 2 or 3. Appends one node in the middle of each edge (degree 2), or two nodes on each
/// edge at thirds and one in the middle of each face (degree 3). New nodes are sorted by the lower node of their edge,
/// then by the higher one. Their tags follow the largest tag of the file. The nodes must not have bodies or dampings
/// yet. A mesh that already has this degree is not changed.
/// Fails for hexahedra, if memory runs out, if there would be too many nodes, or if interrupted; the mesh is then
/// linear.
bool mesh_raise(TetMesh *mesh, int degree, Error *error);

/// Makes a quadratic or cubic mesh linear: its tets keep only their corners. The other nodes stay in the mesh, unused.
/// A linear mesh is not changed.
void mesh_linearise(TetMesh *mesh);

/// Moves the nodes on edges of a quadratic mesh to the middles of their edges. If edges were curved, writes a notice
/// with their number, which begins with `name`. Fails if two tets have different nodes on a common edge, if a node is
/// on two edges, or if a node on an edge is also a corner. A linear mesh is not changed.
bool mesh_straighten(TetMesh *mesh, const char *name, Error *error);

/// After corners were moved: computes the positions of nodes on edges and faces from the corners. A linear mesh is not
/// changed.
void mesh_place_middles(TetMesh *mesh);

enum { MESH_PARTS_MAX = 8 };

/// Divides cell e into linear tets for drawing, and returns their number, which is equal for all cells of a mesh. The
/// tets have the cell's orientation. A linear tet is one part. A quadratic tet is divided into eight tets between its
/// nodes. A cubic tet is represented by the tet of its corners. A hex is divided into six tets around a diagonal. Faces
/// of these tets on the boundary are the triangles of Surface.
int mesh_parts_of_tet(const TetMesh *mesh, int e, int part[MESH_PARTS_MAX][4]);

/// Returns the nodes of all cells as one array [tet_count][mesh_cell_nodes]. The nodes of a cell are in the order of
/// its shape (cell_shape.h). The caller releases the array by free(). Returns NULL if memory runs out.
int *mesh_cells(const TetMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
