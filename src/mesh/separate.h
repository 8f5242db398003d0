// Separates a mesh, by a cut along a blade (cutting plane) or by removing tets. A cut opens faces between tets and
// divides no tet, so only removed tets change volume and mass. Afterwards, the tets at a node may form several groups
// that share no face at the node. Each group except the first then gets a copy of the node. So no two parts of the body
// are connected only by a point or an edge.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A blade: a cutting plane, or a bounded part of a cutting plane.
typedef struct Blade {
  double point[3], normal[3];  // point: m; normal: a direction of any length except 0
  double reach;                // m, radius around `point` within which the blade cuts; 0: no limit
  // Bounds of the blade: it cuts only points x with (x - point) . edge[k] >= 0 for k = 0 and 1. A zero vector is no
  // bound. In a cut by the mouse, `point` is the camera's eye, and the bounds pass through the ends of the drawn line.
  double edge[2][3];
} Blade;

/// Fails if a number of the blade is not finite, the normal is 0, or the reach is negative. The message begins with
/// `name`.
bool blade_check(const Blade *blade, const char *name, Error *error);

/// Finds the faces between two tets that a blade (cutting plane) opens. x [node_count][3], m, are the positions of the
/// nodes. A face is opened if the centres of its two tets are on different sides of the blade's plane. Also, the face's
/// centre, projected onto the plane, must be within the blade. For each of the two tets e, bit f of opened[e] is set,
/// where corner f of the tet is opposite to the face. opened has [tet_count] elements. *count becomes the number of
/// opened faces.
bool mesh_find_opened(const TetMesh *mesh, const double (*x)[3], const Blade *blade, uint8_t *opened, int *count,
                      Error *error);

// Result of separating a mesh by a cut, or by removing tets. Nodes keep their numbers, unless some nodes lose all their
// tets: these nodes vanish, and later nodes get lower numbers, so that there are no gaps. Nodes at which the mesh comes
// apart are copied. Copies have the last numbers, sorted by the node that they copy. A zeroed Separation is empty.
typedef struct Separation {
  TetMesh mesh;
  int *node_from;         // [mesh.node_count], number of each node in the old mesh
  int *tet_from;          // [mesh.tet_count], number of each tet in the old mesh; NULL: all tets keep their numbers
  int *gone, gone_count;  // [gone_count], tets of the old mesh that were removed, ascending
  int copies, vanished;   // copies: number of added nodes; vanished: number of old nodes without remaining tets
  int *changed;           // [changed_count], tets of the new mesh with a copied node, ascending
  int changed_count;      // length of `changed`
  double removed_volume;  // m^3, undeformed volume of the removed tets
} Separation;

/// Separates a mesh at the faces `opened` (from mesh_find_opened), or removes the tets e with removed[e] = 1. Exactly
/// one of the two pointers must be NULL. Fails if no tet would be left, or if there would be too many nodes.
bool mesh_separate(Separation *made, const TetMesh *mesh, const uint8_t *opened, const uint8_t *removed, Error *error);

/// Completes separation->mesh, whose counts and cells must be set: copies all other arrays, such as the positions, from
/// the old mesh `mesh`. node_from and tet_from of `separation` must be set too, since they select the copied values.
bool separation_fill(Separation *separation, const TetMesh *mesh, Error *error);
void separation_destroy(Separation *separation);

#ifdef __cplusplus
}
#endif
