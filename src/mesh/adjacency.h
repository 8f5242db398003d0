// The graph of a mesh's nodes. Two nodes are neighbours if they belong to a common cell. The graph is the pattern of
// the matrix.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Adjacency is empty.
typedef struct Adjacency {
  int node_count;
  int64_t *start;  // [node_count + 1]: the neighbours of node a are neighbour[start[a]] to neighbour[start[a + 1] - 1]
  int *neighbour;  // [start[node_count]], ascending for each node, including the node itself
} Adjacency;

/// Creates the graph of a mesh, or of any cells given as cell [cell_count][cell_nodes]. Fails only if memory runs out.
bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error);
bool adjacency_create_cells(Adjacency *adjacency, int node_count, int cell_count, int cell_nodes, const int *cell,
                            Error *error);

/// Returns the index in the array `neighbour` of node b among the neighbours of node a, or -1 if they are no
/// neighbours. Uses binary search if node a has many neighbours.
int64_t adjacency_find(const Adjacency *adjacency, int a, int b);
void adjacency_destroy(Adjacency *adjacency);

#ifdef __cplusplus
}
#endif
