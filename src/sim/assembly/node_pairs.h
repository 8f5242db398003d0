// Lists of the element blocks that an assembly sums into each block of the matrix. An element block is the submatrix of
// an element matrix for two nodes of the cell, 3 x 3 for a solid. There is one list for each node, for its diagonal
// block, and one for each pair of nodes, for an off-diagonal block. The number that names an element block in a list is
// its source: see pair_source and node_source below.
//
// Paper 000 (section 16.5) gives two reasons for lists of blocks instead of single entries. First, all entries of a
// block sum over the same cells. Second, block (b, a) is the transpose of block (a, b), so each sum is computed once
// and stored twice. The entries of the force vector at a node sum over the same cells as its diagonal block, so they
// use the node's list.
#pragma once
#include "device/host_device.h"
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lists of all nodes and pairs of nodes. A zeroed NodePairs is empty.
typedef struct NodePairs {
  int node_count;  // number of nodes of the mesh
  // [node_count + 1]: node a has the sources node_source[node_start[a]] to node_source[node_start[a + 1] - 1]
  int64_t *node_start;
  // For each node, the sources of its diagonal block, one for each cell at the node, in the order of the cells. A
  // source is node_source(cell, a), if the node is number a of the cell.
  int *node_source;
  // [node_count], the address of each node's diagonal block (block_slots.h): the index of its first entry in the array
  // of the matrix's values, and the steps from row to row and from column to column
  BlockSlots *diagonal_slots;
  // The members below belong to pairs (low, high) of neighbouring nodes with low < high. The pairs are sorted by the
  // low node, then by the high node.
  int *start;          // [node_count + 1], the first pair of each low node
  int64_t *tet_start;  // [pairs + 1]: pair p has the sources source[tet_start[p]] to source[tet_start[p + 1] - 1]
  // For each pair, the sources of its block, one for each cell that has both nodes, in the order of the cells. A source
  // is pair_source(cell, a, b), if the low node is number a of the cell and the high node number b.
  int *source;
  // [pairs], the addresses of block (low, high) and of its transpose, block (high, low), in the array of the matrix's
  // values
  BlockSlots (*slots)[2];
} NodePairs;

/// Builds the lists. `layout` is the operator whose array `slots` has the address of each matrix block. Fails if memory
/// runs out, if there are too many cells, or if the user interrupts.
bool node_pairs_create(NodePairs *pairs, const Space *space, const Operator *layout, Error *error);
void node_pairs_destroy(NodePairs *pairs);

// Returns the source, the number that names an element block, for the nodes number a and b of cell e. Example for cells
// of 4 nodes: cell 5, nodes 0 and 3 give (5 * 4 + 0) * 4 + 3 = 83.
HOST_DEVICE int pair_source(int cell_nodes, int e, int a, int b) {
  return (e * cell_nodes + a) * cell_nodes + b;
}

// Returns the source of node number a of cell e: it names the node's diagonal block in the element matrix, and its
// entries of the element vector. Example for cells of 4 nodes: node 3 of cell 5 gives 23.
HOST_DEVICE int node_source(int cell_nodes, int e, int a) {
  return e * cell_nodes + a;
}

#ifdef __cplusplus
}
#endif
