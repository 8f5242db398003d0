// Which nodes share a tet: the graph that gives the matrix its pattern.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Adjacency is empty.
typedef struct Adjacency {
  int node_count;
  int *start;      // [node_count + 1], into neighbour
  int *neighbour;  // [start[node_count]], ascending for each node, the node itself included
} Adjacency;

/// Builds the graph. Fails only for lack of memory or more than INT32_MAX entries.
bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error);
void adjacency_destroy(Adjacency *adjacency);

#ifdef __cplusplus
}
#endif
