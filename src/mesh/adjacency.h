// The graph of a mesh's nodes: two nodes are neighbours if they belong to a common cell. For each pair of neighbours,
// the stiffness matrix has a block of 3 x 3 entries.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Neighbours of each node. A zeroed Adjacency is empty.
typedef struct Adjacency {
  int node_count;
  int64_t *start;  // [node_count + 1]: the neighbours of node a are neighbour[start[a]] to neighbour[start[a + 1] - 1]
  int *neighbour;  // [start[node_count]], the neighbours of each node in ascending order, including the node itself
} Adjacency;

/// adjacency_create: creates the graph of a mesh, in which all nodes of a cell are neighbours of each other.
/// adjacency_create_cells: creates the graph from cell [cell_count][cell_nodes], the nodes of each cell. Both fail only
/// if memory runs out.
bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error);
bool adjacency_create_cells(Adjacency *adjacency, int node_count, int cell_count, int cell_nodes, const int *cell,
                            Error *error);

/// Returns the index s of node b in the list of node a's neighbours, so that neighbour[s] = b; -1 if a and b are not
/// neighbours. Uses binary search if a has many neighbours.
int64_t adjacency_find(const Adjacency *adjacency, int a, int b);
void adjacency_destroy(Adjacency *adjacency);

#ifdef __cplusplus
}
#endif
