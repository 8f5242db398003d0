// The surface of a mesh: the faces that belong to exactly one cell, turned outward. Of quadratic tets each is four
// triangles, so that its curve shows, of hexahedra two.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Surface is empty. Triangles keep the mesh's node numbers, so positions need no renumbering to be drawn.
typedef struct Surface {
  int triangle_count;
  int (*triangle)[3];  // [triangle_count], node numbers, counter-clockwise seen from outside
  int *owner;          // [triangle_count], the cell that each belongs to; NULL: there are none
  int *fan_start;      // [node_count + 1], into fan: the triangles around each node (none for inner nodes)
  int *fan;            // [3 * triangle_count], triangle numbers, ascending for each node
} Surface;

/// Extracts the surface in a fixed order (that of the cells). Fails only for lack of memory, or where a face has more
/// than two cells, or two on the same side (they overlap). Linear in cells and nodes.
bool surface_create(Surface *surface, const TetMesh *mesh, Error *error);
void surface_destroy(Surface *surface);

/// The mean length of its triangles' sides, whose nodes are at X [node_count][3], m; 0 of none.
double surface_mean_edge(const Surface *surface, const double (*X)[3]);

/// Makes fan_start and fan of triangles that are there; `surface` is destroyed by the caller either way. Fails only for
/// lack of memory.
bool surface_find_fans(Surface *surface, int node_count, Error *error);

/// The same of a mesh that was opened at faces (mesh_find_opened) and has the tets of the one before, from that one's
/// surface: in a fraction of the time, since inner faces are not looked at.
bool surface_open(Surface *surface, const TetMesh *mesh, const uint8_t *opened, const Surface *before,
                  const TetMesh *mesh_before, Error *error);

/// The same of a mesh from which tets were removed, marked in `removed` [mesh_before->tet_count]: `gone` [gone_count],
/// ascending.
bool surface_tear(Surface *surface, const TetMesh *mesh, const int *gone, int gone_count, const uint8_t *removed,
                  const Surface *before, const TetMesh *mesh_before, Error *error);

#ifdef __cplusplus
}
#endif
