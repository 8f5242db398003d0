// A mesh is taken apart: along a blade, between tets, or where tets are removed. No tet is divided, so that volume and
// mass stay what they were, less those of removed tets. Where tets at a node no longer hang together through faces that
// contain it, each group of them has a node of its own: no two parts stay joined by a point or an edge alone.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// What cuts: a plane, or a part of it.
typedef struct Blade {
  double point[3], normal[3];  // m, and a direction, of any length but zero
  double reach;                // m, as far from `point` as it cuts; 0: all of the plane
  // It cuts where (x - point).edge >= 0 for both; zero: no bound. A stroke of the mouse has the eye as its point, and
  // bounds along the two ends of the line that was drawn.
  double edge[2][3];
} Blade;

/// Fails where a blade is not finite, has no normal, or a reach below 0; `name` begins the message.
bool blade_check(const Blade *blade, const char *name, Error *error);

/// The faces that a blade opens in a mesh whose nodes are at x [node_count][3] m: bit f of opened [tet_count] is the
/// face opposite corner f. A tet is on the side of its centre; faces between the two sides are opened whose centre, in
/// the plane's direction, the blade reaches. Both tets of a face have its bit. *count: how many faces.
bool mesh_find_opened(const TetMesh *mesh, const double (*x)[3], const Blade *blade, uint8_t *opened, int *count,
                      Error *error);

// A mesh that was taken apart. Nodes keep their numbers as long as none vanishes; copies follow them, by the nodes that
// they are of. A zeroed Separation is empty.
typedef struct Separation {
  TetMesh mesh;
  int *node_from;         // [mesh.node_count], the node of the old mesh that each was
  int *tet_from;          // [mesh.tet_count], likewise; NULL: no tet was removed
  int *gone, gone_count;  // [gone_count], the tets that were, ascending
  int copies, vanished;   // nodes that were added, and that no tet has any more
  int *changed;           // [changed_count], tets some of whose nodes are copies now, ascending; where tets were
  int changed_count;      // removed, by their new numbers
  double removed_volume;  // m^3, at rest
} Separation;

/// Takes a mesh apart at opened faces and without the tets marked in `removed`, [tet_count]; one of both is NULL.
/// Fails where no tet would be left, or there were too many nodes.
bool mesh_separate(Separation *made, const TetMesh *mesh, const uint8_t *opened, const uint8_t *removed, Error *error);

/// Fills what nodes and tets have of their own, positions too, from the mesh that they were; counts, tets and the two
/// lists are there.
bool separation_fill(Separation *separation, const TetMesh *mesh, Error *error);
void separation_destroy(Separation *separation);

#ifdef __cplusplus
}
#endif
