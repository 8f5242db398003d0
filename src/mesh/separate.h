// Separates a mesh: by a cut along a blade, or by removing tets. A cut follows faces between tets, and no tet is
// divided. So volume and mass are preserved, except for removed tets. After a cut, the tets at a node may form several
// groups that are not connected through faces at this node. Then each group gets a separate copy of the node. So no two
// parts stay connected by only a point or an edge.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A cutting plane, or a bounded part of it.
typedef struct Blade {
  double point[3], normal[3];  // point: m; normal: a direction of any length except 0
  double reach;                // m, radius around `point` within which the blade cuts; 0: the whole plane
  // The blade cuts only points x with (x - point).edge[k] >= 0 for k = 0 and 1. If edge[k] is zero, it is no bound. For
  // a cut by the mouse, `point` is the eye, and the two bounds pass through the ends of the line that the mouse has
  // drawn.
  double edge[2][3];
} Blade;

/// Fails if a number of the blade is not finite, the normal is 0, or the reach is negative. The message begins with
/// `name`.
bool blade_check(const Blade *blade, const char *name, Error *error);

/// Finds the faces at which a blade separates a mesh whose nodes are at x [node_count][3], m. Each tet counts as on the
/// side of the blade's plane on which its centre is. A face between tets on different sides is opened if the projection
/// of the face's centre onto the plane is within the blade. Bit f of opened [tet_count] is 1 if the face opposite to
/// corner f of the tet is opened; this bit is set in both tets of the face. *count is the number of opened faces.
bool mesh_find_opened(const TetMesh *mesh, const double (*x)[3], const Blade *blade, uint8_t *opened, int *count,
                      Error *error);

// The result of a separation. Nodes keep their numbers. But if nodes without tets vanish, the others are renumbered
// without gaps. Copies of nodes come last, sorted by the node that they copy. A zeroed Separation is empty.
typedef struct Separation {
  TetMesh mesh;
  int *node_from;         // [mesh.node_count], number of each node in the old mesh
  int *tet_from;          // [mesh.tet_count], number of each tet in the old mesh; NULL: all tets are kept, with their
                          // numbers
  int *gone, gone_count;  // [gone_count], tets of the old mesh that were removed, ascending
  int copies, vanished;   // copies: number of added nodes; vanished: number of old nodes without remaining tets
  int *changed;           // [changed_count], tets of the new mesh that have copies among their nodes; ascending
  int changed_count;      // length of `changed`
  double removed_volume;  // m^3, undeformed volume of the removed tets
} Separation;

/// Separates a mesh at the faces `opened` (from mesh_find_opened), or removes the tets e with removed[e] = 1. Either
/// `opened` or `removed` is NULL. Fails if no tet would be left, or if there would be too many nodes.
bool mesh_separate(Separation *made, const TetMesh *mesh, const uint8_t *opened, const uint8_t *removed, Error *error);

/// Fills all other arrays of separation->mesh, such as the positions, with copies from the old mesh. The counts, tets,
/// node_from and tet_from of `separation` must be set.
bool separation_fill(Separation *separation, const TetMesh *mesh, Error *error);
void separation_destroy(Separation *separation);

#ifdef __cplusplus
}
#endif
