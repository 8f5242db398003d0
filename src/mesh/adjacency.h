// Which nodes share a cell: the graph that gives the matrix its pattern.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Adjacency is empty.
typedef struct Adjacency {
  int node_count;
  int64_t *start;  // [node_count + 1], into neighbour
  int *neighbour;  // [start[node_count]], ascending for each node, the node itself included
} Adjacency;

/// The graph of a mesh, or of any cells [cell_count][cell_nodes]. Fails only for lack of memory.
bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error);
bool adjacency_create_cells(Adjacency *adjacency, int node_count, int cell_count, int cell_nodes, const int *cell,
                            Error *error);

/// The position of node b among node a's neighbours, in `neighbour`, or -1. Among many by binary search.
int64_t adjacency_find(const Adjacency *adjacency, int a, int b);
void adjacency_destroy(Adjacency *adjacency);

#ifdef __cplusplus
}
#endif
