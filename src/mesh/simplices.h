// The edges and faces of a tet mesh. Meshes of degree 2 and 3 have nodes on edges and faces.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Edges and faces of a mesh, sorted by their nodes, so that their numbers do not depend on the order of the tets. A
// zeroed Simplices is empty.
typedef struct Simplices {
  int edge_count, face_count;
  int (*edge)[2];      // [edge_count], nodes, ascending
  int (*face)[3];      // [face_count], nodes, ascending
  int (*tet_edge)[6];  // [tet_count], edges of each tet, in the order of tet_edge_corners
  int (*tet_face)[4];  // [tet_count], faces of each tet; face c is opposite to corner c
} Simplices;

// Kinds of simplices. The argument `kinds` of simplices_create is one of them or their sum.
typedef enum SimplexKind { SIMPLEX_EDGES = 1, SIMPLEX_FACES = 2 } SimplexKind;

/// Finds edges, faces or both: `kinds` is SIMPLEX_EDGES, SIMPLEX_FACES or their sum. The arrays of a kind that is not
/// requested are NULL. Only corners of tets are used. Time is linear in the number of tets. Runs on all cores; their
/// number does not change the result. Fails if memory runs out, or if interrupted.
bool simplices_create(Simplices *simplices, const TetMesh *mesh, int kinds, Error *error);
void simplices_destroy(Simplices *simplices);

#ifdef __cplusplus
}
#endif
