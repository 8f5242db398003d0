// The numbered edges and faces of a tet mesh, and those of each tet: positions of nodes of higher order.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Simplices is empty. Edges and faces are numbered in the order of their nodes, the lowest first, independent
// of the order of the tets. sort_by_key on tet_edge or tet_face gives the tets at an edge or face.
typedef struct Simplices {
  int edge_count, face_count;
  int (*edge)[2];      // [edge_count], nodes, ascending
  int (*face)[3];      // [face_count], nodes, ascending
  int (*tet_edge)[6];  // [tet_count], in the order of tet_edge_corners
  int (*tet_face)[4];  // [tet_count], by the opposite corner
} Simplices;

// Selects edges or faces.
typedef enum SimplexKind { SIMPLEX_EDGES = 1, SIMPLEX_FACES = 2 } SimplexKind;

/// Finds the simplices of `kinds`, SIMPLEX_EDGES | SIMPLEX_FACES, from the corners only; arrays of the other kind stay
/// NULL. Linear in the tets, on all cores, with a result that does not depend on their number. Fails if memory runs
/// out, or if interrupted.
bool simplices_create(Simplices *simplices, const TetMesh *mesh, int kinds, Error *error);
void simplices_destroy(Simplices *simplices);

#ifdef __cplusplus
}
#endif
