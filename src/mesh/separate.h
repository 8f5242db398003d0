// Takes a mesh apart: along a blade, between tets, or by removing tets. No tet is divided, so volume and mass are
// preserved, except for removed tets. If the tets at a node are no longer connected through faces that contain it, each
// connected group gets its copy of the node. So no two parts stay joined only by a point or an edge.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A cutting plane, or a part of it.
typedef struct Blade {
  double point[3], normal[3];  // m; a direction of any length but zero
  double reach;                // m, largest distance from `point` at which it cuts; 0: the whole plane
  // It cuts only points x with (x - point).edge >= 0 for both; zero: no bound. For a stroke of the mouse, `point` is
  // the eye, and the bounds pass through the two ends of the drawn line.
  double edge[2][3];
} Blade;

/// Fails if a blade is not finite, has no normal, or has a negative reach; `name` begins the message.
bool blade_check(const Blade *blade, const char *name, Error *error);

/// Finds the faces that a blade opens in a mesh with nodes at x [node_count][3] m. Bit f of opened [tet_count] is the
/// face opposite corner f, and both tets of a face have their bit set. A tet is on the side of its centre. A face
/// between the two sides is opened if the blade reaches its centre, projected to the plane. *count is the number of
/// faces.
bool mesh_find_opened(const TetMesh *mesh, const double (*x)[3], const Blade *blade, uint8_t *opened, int *count,
                      Error *error);

// The result of taking a mesh apart. Nodes keep their numbers unless some vanish; copies follow, sorted by original
// node. A zeroed Separation is empty.
typedef struct Separation {
  TetMesh mesh;
  int *node_from;         // [mesh.node_count], node of the old mesh
  int *tet_from;          // [mesh.tet_count], tet of the old mesh; NULL: no tet was removed
  int *gone, gone_count;  // [gone_count], removed tets, ascending
  int copies, vanished;   // numbers of added nodes, and of nodes without remaining tets
  int *changed;           // [changed_count], tets with copies among their nodes, ascending, by new numbers
  int changed_count;      // length of `changed`
  double removed_volume;  // m^3, at rest
} Separation;

/// Takes a mesh apart at opened faces, and without the tets marked in `removed` [tet_count]; one of the two is NULL.
/// Fails if no tet would be left, or if there would be too many nodes.
bool mesh_separate(Separation *made, const TetMesh *mesh, const uint8_t *opened, const uint8_t *removed, Error *error);

/// Fills all other arrays of nodes and tets, positions included, from the old mesh; counts, tets and the two lists must
/// be set.
bool separation_fill(Separation *separation, const TetMesh *mesh, Error *error);
void separation_destroy(Separation *separation);

#ifdef __cplusplus
}
#endif
