// Lists for an assembly that sums each block of the matrix. A block is the submatrix of two nodes, 3 x 3 for a solid.
// It is a sum over the cells that have both nodes; each cell contributes one block of its element matrix. The list of a
// block has one number for each such cell, called a source. A source names the cell and the two nodes' numbers in the
// cell (pair_source, node_source).
//
// Each node has a list for its diagonal block, also used for its entries of the force vector. A pair of different nodes
// a and b has one list, for block (a, b). Block (b, a) is the transpose of this block. So the sum is computed once and
// stored twice (paper 000, section 16.5).
#pragma once
#include "device/host_device.h"
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lists of all nodes and pairs of nodes. Their items are sources, numbers that name a cell and one or two of its
// nodes. A zeroed NodePairs is empty.
typedef struct NodePairs {
  int node_count;  // number of nodes of the mesh
  // [node_count + 1]: node a has the sources node_source[node_start[a]] to node_source[node_start[a + 1] - 1]
  int64_t *node_start;
  // For each node, the sources of its diagonal block, in the order of the cells: one number for each cell at the node.
  // The number is node_source(cell, a) if the node is number a of the cell.
  int *node_source;
  // [node_count], for each node the position of its diagonal block in the matrix's array of values: the index of the
  // block's first entry, and the steps to the next row and column (block_slots.h)
  BlockSlots *diagonal_slots;
  // The members below belong to pairs (low, high) of neighbouring nodes with low < high. The pairs are sorted by the
  // low node, then by the high node.
  int *start;          // [node_count + 1], the first pair of each low node
  int64_t *tet_start;  // [pairs + 1]: pair p has the sources source[tet_start[p]] to source[tet_start[p + 1] - 1]
  // For each pair of nodes, the sources of its block, in the order of the cells: one number for each cell that has both
  // nodes. The number is pair_source(cell, a, b) if the low node is number a of the cell and the high node number b.
  int *source;
  // [pairs], for each pair of nodes the positions of two blocks in the matrix's array of values: block (low, high), and
  // its transpose, block (high, low)
  BlockSlots (*slots)[2];
} NodePairs;

/// Builds the lists of all nodes and pairs of nodes. layout: the operator that stores the matrix, with the position of
/// each block. Fails if memory runs out, if there are too many cells for `source` (a source is an int that names a cell
/// and its nodes), or if the user interrupts.
bool node_pairs_create(NodePairs *pairs, const Space *space, const Operator *layout, Error *error);
void node_pairs_destroy(NodePairs *pairs);

// Returns the source, a number that names cell e and two of its nodes, number a and number b. Example for cells of 4
// nodes: cell 5 with nodes 0 and 3 gives (5 * 4 + 0) * 4 + 3 = 83.
HOST_DEVICE int pair_source(int cell_nodes, int e, int a, int b) {
  return (e * cell_nodes + a) * cell_nodes + b;
}

// Returns the source, a number that names cell e and its node number a. As an item of a node's list, it names the
// diagonal block of this node in the element matrix, and the node's entries of the element vector. Example for cells of
// 4 nodes: node 3 of cell 5 gives 23.
HOST_DEVICE int node_source(int cell_nodes, int e, int a) {
  return e * cell_nodes + a;
}

#ifdef __cplusplus
}
#endif
