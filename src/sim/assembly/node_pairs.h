// The pairs of nodes that share a tet, each once, and what adds up to them. All entries of a pair's block have the same
// tets, and the block of (b, a) is the transpose of that of (a, b): so lists belong to pairs, not to scalar entries, and
// a sum is stored twice (both proposed in paper 000, section 16.5).
#pragma once
#include "device/host_device.h"
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

// Pairs (low, high), low <= high, numbered by low node, then by high.
typedef struct NodePairs {
  int node_count, node_dof;
  int *start;          // [node_count + 1]: pairs by their low node; the first is the node's with itself
  int64_t *tet_start;  // [pairs + 1], into source
  int *source;         // pair_source of each tet of the pair, tets ascending
  // slots of a pair's block, row by row: [pairs][2][node_dof^2]; first those of (low, high), then those that the same
  // values go to as (high, low), or -1 where low is high
  int *slot;
} NodePairs;

/// `layout` gives pattern and map K.
bool node_pairs_create(NodePairs *pairs, const TetMesh *mesh, const Matrix *layout, Error *error);
void node_pairs_destroy(NodePairs *pairs);

/// The slots of pair (low, high): row `row` of low's block row, which has `high` as its position-th neighbour, and the
/// transposed; see NodePairs.slot. With `one_way` only low's rows are asked for.
void pair_slots(const Matrix *layout, int low, int high, bool one_way, int *slot);

// a source: tet e's block of local nodes a and b; 4 nodes
HOST_DEVICE int pair_source(int e, int a, int b) {
  return (e * 4 + a) * 4 + b;
}

// tet and local node, 4 e + a, of a source
HOST_DEVICE int node_source(int pair_source) {
  return pair_source / 4;
}

#ifdef __cplusplus
}
#endif
