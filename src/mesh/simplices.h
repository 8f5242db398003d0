// The edges and faces of a tet mesh, numbered, and which of them each tet has: what nodes of higher order sit on.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Simplices is empty. Edges and faces are numbered in the order of their nodes, the lowest first: the same
// whatever the order of the tets. The tets at an edge or face: sort_by_key on tet_edge or tet_face.
typedef struct Simplices {
  int edge_count, face_count;
  int (*edge)[2];      // [edge_count], nodes, ascending
  int (*face)[3];      // [face_count], nodes, ascending
  int (*tet_edge)[6];  // [tet_count], in the order of tet_edge_corners
  int (*tet_face)[4];  // [tet_count], by the corner over against each
} Simplices;

// Which edges or faces are wanted.
typedef enum SimplexKind { SIMPLEX_EDGES = 1, SIMPLEX_FACES = 2 } SimplexKind;

/// Finds those of `kinds`, SIMPLEX_EDGES | SIMPLEX_FACES; arrays of the others stay NULL. From the corners alone.
/// Linear in the tets, over all cores, the same whatever their number. Fails for lack of memory, or interrupted.
bool simplices_create(Simplices *simplices, const TetMesh *mesh, int kinds, Error *error);
void simplices_destroy(Simplices *simplices);

#ifdef __cplusplus
}
#endif
