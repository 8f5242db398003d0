// The graph of nodes that have a cell in common, which is the pattern of the matrix.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Adjacency is empty.
typedef struct Adjacency {
  int node_count;
  int64_t *start;  // [node_count + 1], offsets into neighbour
  int *neighbour;  // [start[node_count]], ascending for each node, the node itself included
} Adjacency;

/// Creates the graph of a mesh, or of any cells [cell_count][cell_nodes]. Fails only if memory runs out.
bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error);
bool adjacency_create_cells(Adjacency *adjacency, int node_count, int cell_count, int cell_nodes, const int *cell,
                            Error *error);

/// Index in `neighbour` of node b among node a's neighbours, or -1. Uses binary search if there are many.
int64_t adjacency_find(const Adjacency *adjacency, int a, int b);
void adjacency_destroy(Adjacency *adjacency);

#ifdef __cplusplus
}
#endif
