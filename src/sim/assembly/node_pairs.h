// Lists of the element blocks that an assembly sums into each block of the matrix. They belong to nodes and to pairs of
// nodes, not to scalar entries, for two reasons that paper 000 names in section 16.5. All entries of a pair's block sum
// over the same tets. And the block of (b, a) is the transpose of the block of (a, b), so each sum is computed once and
// stored twice. The diagonal block of a node and its entries of the vector sum over the same tets, so they share a
// list.
#pragma once
#include "device/host_device.h"
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NodePairs {
  int node_count;
  int64_t *node_start;  // [node_count + 1], offsets into node_source
  // for each node, the code node_source() of each of its tets, in the order of the tets
  int *node_source;
  BlockSlots *diagonal_slots;  // [node_count]: slots of the node's diagonal block
  // The members below belong to pairs (low, high) of nodes with low < high, sorted by low node, then by high node.
  int *start;          // [node_count + 1], first pair of each low node
  int64_t *tet_start;  // [pairs + 1], offsets into source
  int *source;         // for each pair, the code pair_source() of each tet that has both nodes, in the order of the
                       // tets
  // [pairs], positions of the block (low, high), and of (high, low), which is its transpose
  BlockSlots (*slots)[2];
} NodePairs;

/// Builds the lists. `layout` gives the positions of matrix blocks. Fails if memory runs out, if there are too many
/// cells, or if the user interrupts.
bool node_pairs_create(NodePairs *pairs, const Space *space, const Operator *layout, Error *error);
void node_pairs_destroy(NodePairs *pairs);

// Code of a pair's source: the block of local nodes a and b of cell e.
HOST_DEVICE int pair_source(int cell_nodes, int e, int a, int b) {
  return (e * cell_nodes + a) * cell_nodes + b;
}

// Code of a node's source: local node a of cell e.
HOST_DEVICE int node_source(int cell_nodes, int e, int a) {
  return e * cell_nodes + a;
}

#ifdef __cplusplus
}
#endif
