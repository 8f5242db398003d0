// The surface of a mesh as triangles: the faces that belong to exactly one cell, oriented outward. A face of a
// quadratic tet is divided into four triangles, which show its curvature, and a face of a hexahedron into two.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Triangles of a surface, and the triangles at each node. They use the mesh's node numbers. A zeroed Surface is empty.
typedef struct Surface {
  int triangle_count;
  int (*triangle)[3];  // [triangle_count], node numbers, counter-clockwise seen from outside
  int *owner;          // [triangle_count], cell of each triangle; NULL: unknown
  // [node_count + 1]: the triangles at node a are fan[fan_start[a]] to fan[fan_start[a + 1] - 1]. A node inside the
  // body has none.
  int *fan_start;
  int *fan;  // [3 * triangle_count], triangle numbers, ascending for each node
} Surface;

/// Creates the surface, with triangles in the order of the cells. Fails if memory runs out, or if cells overlap: if a
/// face belongs to more than two cells, or to two cells on the same side of the face. Time is linear in the numbers of
/// cells and nodes.
bool surface_create(Surface *surface, const TetMesh *mesh, Error *error);
void surface_destroy(Surface *surface);

/// Returns the mean length of the sides of all triangles, m; 0 if there are none. X [node_count][3] are the positions
/// of the nodes.
double surface_mean_edge(const Surface *surface, const double (*X)[3]);

/// Computes surface->fan_start and fan, which list the triangles around each node. The caller destroys `surface`, also
/// after a failure. Fails only if memory runs out.
bool surface_find_fans(Surface *surface, int node_count, Error *error);

/// Creates the surface of a mesh after a cut, as surface_create does, but much faster, since inner faces are not
/// processed. `mesh_before` is the mesh before the cut, `before` its surface, and `opened` the faces that the cut opens
/// (mesh_find_opened). Tets must have the same indices in both meshes.
bool surface_open(Surface *surface, const TetMesh *mesh, const uint8_t *opened, const Surface *before,
                  const TetMesh *mesh_before, Error *error);

/// Creates the surface of a mesh from which tets were removed, as fast as surface_open. `mesh_before` is the mesh with
/// these tets, and `before` its surface. removed[e] is 1 for the removed tets of mesh_before, and gone [gone_count]
/// lists them, ascending.
bool surface_tear(Surface *surface, const TetMesh *mesh, const int *gone, int gone_count, const uint8_t *removed,
                  const Surface *before, const TetMesh *mesh_before, Error *error);

#ifdef __cplusplus
}
#endif
