// What adds up where, by nodes and by pairs of nodes that share a tet. All entries of a pair's block have the same tets,
// and the block of (b, a) is the transpose of that of (a, b): so lists belong to pairs, not to scalar entries, and a sum
// is stored twice (both proposed in paper 000, section 16.5). The block of a node with itself has the tets of the node's
// entries of the vector, so these two share a list.
#pragma once
#include "device/host_device.h"
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NodePairs {
  int node_count, node_dof;
  int64_t *node_start;  // [node_count + 1], into node_source
  int *node_source;     // node_source_of each tet at the node, tets ascending
  int *node_slot;       // [node_count][node_dof^2]: slots of the node's own block, row by row
  // pairs (low, high), low < high, by their low node, then by high
  int *start;          // [node_count + 1]: pairs by their low node
  int64_t *tet_start;  // [pairs + 1], into source
  int *source;         // pair_source of each tet of the pair, tets ascending
  int *slot;           // [pairs][2][node_dof^2]: see pair_slots
} NodePairs;

/// `layout` gives pattern and map K.
bool node_pairs_create(NodePairs *pairs, const TetMesh *mesh, const Matrix *layout, Error *error);
void node_pairs_destroy(NodePairs *pairs);

/// Slots of a node's own block [node_dof^2], row by row.
void node_slots(const Matrix *layout, int node, int *slot);

/// Slots of the block of (low, high), row by row, and after them those that the same values go to as (high, low):
/// [2][node_dof^2]. With `one_way` the second are -1.
void pair_slots(const Matrix *layout, int low, int high, bool one_way, int *slot);

// a source of a pair: tet e's block of local nodes a and b; 4 nodes
HOST_DEVICE int pair_source(int e, int a, int b) {
  return (e * 4 + a) * 4 + b;
}

// a source of a node: tet e's local node a
HOST_DEVICE int node_source(int e, int a) {
  return e * 4 + a;
}

#ifdef __cplusplus
}
#endif
