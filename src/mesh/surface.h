// The surface of a mesh: the faces that belong to exactly one cell, oriented outward. A face of a quadratic tet is four
// triangles, which show its curvature; a face of a hexahedron is two.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Surface is empty. Triangles use the mesh's node numbers, so positions need no renumbering for drawing.
typedef struct Surface {
  int triangle_count;
  int (*triangle)[3];  // [triangle_count], node numbers, counter-clockwise seen from outside
  int *owner;          // [triangle_count], cell of each triangle; NULL: not known
  int *fan_start;      // [node_count + 1], offsets into fan: the triangles around each node (none for inner nodes)
  int *fan;            // [3 * triangle_count], triangle numbers, ascending for each node
} Surface;

/// Extracts the surface in the order of the cells. Fails only if memory runs out, or if a face has more than two cells,
/// or two on the same side (they overlap). Linear in cells and nodes.
bool surface_create(Surface *surface, const TetMesh *mesh, Error *error);
void surface_destroy(Surface *surface);

/// Mean length of the triangles' sides with nodes at X [node_count][3], m; 0 if there are no triangles.
double surface_mean_edge(const Surface *surface, const double (*X)[3]);

/// Creates fan_start and fan of the present triangles; the caller destroys `surface` also after a failure. Fails only
/// if memory runs out.
bool surface_find_fans(Surface *surface, int node_count, Error *error);

/// As surface_create, for a mesh that was opened at faces (mesh_find_opened) and has the tets of `mesh_before`, from
/// the surface `before`. It takes a fraction of the time, since inner faces are not processed.
bool surface_open(Surface *surface, const TetMesh *mesh, const uint8_t *opened, const Surface *before,
                  const TetMesh *mesh_before, Error *error);

/// As surface_open, for a mesh from which tets were removed: they are marked in `removed` [mesh_before->tet_count] and
/// listed in `gone` [gone_count], ascending.
bool surface_tear(Surface *surface, const TetMesh *mesh, const int *gone, int gone_count, const uint8_t *removed,
                  const Surface *before, const TetMesh *mesh_before, Error *error);

#ifdef __cplusplus
}
#endif
