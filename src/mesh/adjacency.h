// The graph of a mesh's nodes: two nodes are neighbours if they belong to a common cell. It is also the pattern of the
// matrix.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Neighbours of each node. A zeroed Adjacency is empty.
typedef struct Adjacency {
  int node_count;
  int64_t *start;  // [node_count + 1]: the neighbours of node a are neighbour[start[a]] to neighbour[start[a + 1] - 1]
  int *neighbour;  // [start[node_count]], ascending for each node, including the node itself
} Adjacency;

/// Creates the graph of a mesh, or of any cells given as cell [cell_count][cell_nodes]. Fails only if memory runs out.
bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error);
bool adjacency_create_cells(Adjacency *adjacency, int node_count, int cell_count, int cell_nodes, const int *cell,
                            Error *error);

/// Returns the index of node b in the array `neighbour` among the neighbours of node a; -1: a and b are not neighbours.
/// Binary search if a has many neighbours.
int64_t adjacency_find(const Adjacency *adjacency, int a, int b);
void adjacency_destroy(Adjacency *adjacency);

#ifdef __cplusplus
}
#endif
