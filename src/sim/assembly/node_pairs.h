// Lists of the element blocks that are summed into each node's and each node pair's block. All entries of a pair's
// block sum over the same tets, and block (b, a) is the transpose of (a, b). So lists belong to pairs, not to scalar
// entries, and each sum is stored twice (both proposed in paper 000, section 16.5). A node's diagonal block and its
// entries of the vector sum over the same tets, so they use one list.
#pragma once
#include "device/host_device.h"
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NodePairs {
  int node_count;
  int64_t *node_start;         // [node_count + 1], into node_source
  int *node_source;            // node_source() of each tet at the node, tets ascending
  BlockSlots *diagonal_slots;  // [node_count]: slots of the node's diagonal block
  // pairs (low, high), low < high, sorted by low node, then by high
  int *start;              // [node_count + 1]: first pair of each low node
  int64_t *tet_start;      // [pairs + 1], into source
  int *source;             // pair_source() of each tet of the pair, tets ascending
  BlockSlots (*slots)[2];  // [pairs]: slots of block (low, high), and of (high, low), which is its transpose
} NodePairs;

/// Builds the lists; `layout` gives the slots of blocks. Fails if memory runs out, if there are too many cells, or if
/// interrupted.
bool node_pairs_create(NodePairs *pairs, const Space *space, const Operator *layout, Error *error);
void node_pairs_destroy(NodePairs *pairs);

// Source of a pair: the block of local nodes a and b of cell e.
HOST_DEVICE int pair_source(int cell_nodes, int e, int a, int b) {
  return (e * cell_nodes + a) * cell_nodes + b;
}

// Source of a node: local node a of cell e.
HOST_DEVICE int node_source(int cell_nodes, int e, int a) {
  return e * cell_nodes + a;
}

#ifdef __cplusplus
}
#endif
