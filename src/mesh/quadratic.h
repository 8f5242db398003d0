// Meshes of degree 2 and 3: raises linear meshes, and processes nodes on edges that files contain.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Raises a linear mesh to degree 2 or 3. Nodes are appended on each edge, in the middle or at thirds, sorted by its
/// lower and then its higher node, and for degree 3 in the middle of each face. Their tags follow the largest in the
/// file. The nodes must not have bodies or dampings yet. A mesh of that degree is unchanged. Fails for hexahedra, if
/// memory runs out, if a mesh cannot have so many nodes, or if interrupted; the mesh is then linear.
bool mesh_raise(TetMesh *mesh, int degree, Error *error);

/// Makes a quadratic or cubic mesh linear, by its corners; nodes that become unused stay. A linear mesh is unchanged.
void mesh_linearise(TetMesh *mesh);

/// Moves nodes on edges to the middles of their edges and logs, with `name` first, how many edges were curved. Fails if
/// two tets have different nodes on a common edge, or if a node is on two edges or a corner too. A linear mesh is
/// unchanged.
bool mesh_straighten(TetMesh *mesh, const char *name, Error *error);

/// Moves nodes on edges and faces to their positions between the corners, after corners have moved. A linear mesh is
/// unchanged.
void mesh_place_middles(TetMesh *mesh);

enum { MESH_PARTS_MAX = 8 };

/// Lists the linear tets, with its orientation, that represent a cell for drawing: a linear tet itself, eight between
/// the nodes of a quadratic one, one from the corners of a cubic one, six around the diagonal of a hex. Their outer
/// faces are the triangles of the surface. Returns their number, which is the same for all cells of the mesh.
int mesh_parts_of_tet(const TetMesh *mesh, int e, int part[MESH_PARTS_MAX][4]);

/// All nodes of the cells, [tet_count][mesh_cell_nodes], in the order of their shape. The caller releases them with
/// free().
int *mesh_cells(const TetMesh *mesh, Error *error);

#ifdef __cplusplus
}
#endif
