// Lists of the element blocks that an assembly sums into each block of the matrix. There is one list per node, for its
// diagonal block, and one per pair of nodes, for an off-diagonal block. Paper 000 (section 16.5) gives two reasons for
// lists of blocks instead of scalar entries. All entries of a block sum over the same tets. The block of (b, a) is the
// transpose of the block of (a, b), so each sum is computed once and stored twice. The entries of the vector at a node
// sum over the same tets as its diagonal block, so they use the node's list.
#pragma once
#include "device/host_device.h"
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NodePairs {
  int node_count;
  int64_t *node_start;  // [node_count + 1], offsets into node_source
  // For each node, the code node_source() of each of its tets: the tet, and the number of the node within it. In the
  // order of the tets.
  int *node_source;
  BlockSlots *diagonal_slots;  // [node_count]: slots of the node's diagonal block
  // The members below belong to pairs (low, high) of nodes with low < high, sorted by low node, then by high node.
  int *start;          // [node_count + 1], first pair of each low node
  int64_t *tet_start;  // [pairs + 1], offsets into source
  // For each pair, the code pair_source() of each tet that has both nodes: the tet, and the numbers of the nodes within
  // it. In the order of the tets.
  int *source;
  // [pairs], positions of the block (low, high), and of (high, low), which is its transpose
  BlockSlots (*slots)[2];
} NodePairs;

/// Builds the lists. `layout` gives the positions of matrix blocks. Fails if memory runs out, if there are too many
/// cells, or if the user interrupts.
bool node_pairs_create(NodePairs *pairs, const Space *space, const Operator *layout, Error *error);
void node_pairs_destroy(NodePairs *pairs);

// Code of a pair's source: the block of the nodes number a and b of cell e. Example with 4 nodes per cell: cell 5,
// nodes 0 and 3 give (5 * 4 + 0) * 4 + 3 = 83.
HOST_DEVICE int pair_source(int cell_nodes, int e, int a, int b) {
  return (e * cell_nodes + a) * cell_nodes + b;
}

// Code of a node's source: node number a of cell e.
HOST_DEVICE int node_source(int cell_nodes, int e, int a) {
  return e * cell_nodes + a;
}

#ifdef __cplusplus
}
#endif
