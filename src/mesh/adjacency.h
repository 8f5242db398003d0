// The graph of a mesh's nodes: two nodes are neighbours if they belong to a common cell. The stiffness matrix has a 3x3
// block for each pair of neighbours.
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

/// adjacency_create: creates the graph of a mesh, in which the nodes of each cell are neighbours.
/// adjacency_create_cells: creates the graph from cell [cell_count][cell_nodes], the nodes of each cell. Both fail only
/// if memory runs out.
bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error);
bool adjacency_create_cells(Adjacency *adjacency, int node_count, int cell_count, int cell_nodes, const int *cell,
                            Error *error);

/// Returns the index s with neighbour[s] = b among the neighbours of node a; -1: a and b are not neighbours. Uses
/// binary search if a has many neighbours.
int64_t adjacency_find(const Adjacency *adjacency, int a, int b);
void adjacency_destroy(Adjacency *adjacency);

#ifdef __cplusplus
}
#endif
