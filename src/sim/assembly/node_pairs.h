// What adds up where, by nodes and by pairs of nodes that share a tet. All entries of a pair's block have the same
// tets, and the block of (b, a) is the transpose of that of (a, b): so lists belong to pairs, not to scalar entries,
// and a sum is stored twice (both proposed in paper 000, section 16.5). The block of a node with itself has the tets of
// the node's entries of the vector, so these two share a list.
#pragma once
#include "device/host_device.h"
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NodePairs {
  int node_count;
  int64_t *node_start;     // [node_count + 1], into node_source
  int *node_source;        // node_source of each tet at the node, tets ascending
  BlockPlace *node_place;  // [node_count]: of the node's own block
  // pairs (low, high), low < high, by their low node, then by high
  int *start;              // [node_count + 1]: pairs by their low node
  int64_t *tet_start;      // [pairs + 1], into source
  int *source;             // pair_source of each tet of the pair, tets ascending
  BlockPlace (*place)[2];  // [pairs]: of the block (low, high), and of (high, low), which is its transpose
} NodePairs;

/// `layout` gives the places.
bool node_pairs_create(NodePairs *pairs, const Space *space, const Operator *layout, Error *error);
void node_pairs_destroy(NodePairs *pairs);

// a source of a pair: cell e's block of local nodes a and b
HOST_DEVICE int pair_source(int cell_nodes, int e, int a, int b) {
  return (e * cell_nodes + a) * cell_nodes + b;
}

// a source of a node: cell e's local node a
HOST_DEVICE int node_source(int cell_nodes, int e, int a) {
  return e * cell_nodes + a;
}

#ifdef __cplusplus
}
#endif
