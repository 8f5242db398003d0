// Aggregates are connected groups of nodes. Their rigid motions span the coarse space of a two-level preconditioner
// (coarse.h). For each pair of aggregates, the matrix blocks that couple their nodes are listed too. These lists depend
// only on the positions of the blocks, and are built once, on the host.
//
// Aggregates must be connected. Example: if one of 132 aggregates of a hand contains parts of two fingers, its rigid
// motions fit neither finger. CG then needs 1.5 times as many iterations.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AGGREGATES_MAX = 512 };  // max number of aggregates of a body

// A matrix block that couples two nodes, for the list of a pair of aggregates.
typedef struct AggregateItem {
  BlockSlots slots;  // position of the block in Operator.values
  // nodes of the block's row and column; if equal, the block is the node's diagonal block in Operator.blocks
  int row, column;
} AggregateItem;

typedef struct AggregatePair {
  int row, column;  // two aggregates whose nodes the matrix couples; row <= column
} AggregatePair;

// The aggregates (groups of nodes) of a body, and the matrix blocks that couple them. A zeroed Aggregates is empty.
typedef struct Aggregates {
  int node_count;
  int count;  // number of aggregates, groups of nodes
  // [node_count], aggregate of each node; -1: none. A node has none only if it is in a small connected piece of a mesh
  // with more than AGGREGATES_MAX pieces.
  int *of;
  // [count + 1], first index in `member` of each aggregate; nodes without an aggregate begin at start[count]
  int *start;
  int *member;     // [node_count], the nodes, sorted by aggregate, then by number
  int pair_count;  // pairs of aggregates whose nodes the matrix couples
  // [pair_count], pairs of aggregates that the matrix couples, sorted by row, then by column
  AggregatePair *pair;
  int64_t *item_start;  // [pair_count + 1], first index in `item` of each pair
  // The matrix blocks of each pair of aggregates, pair after pair. The node of a block's row is in the first aggregate
  // of the pair, the node of its column in the second.
  AggregateItem *item;
} Aggregates;

/// Returns the intended number of aggregates (groups of nodes) for a body. The actual number may be twice as large, and
/// even larger if there are many small separate bodies.
int aggregate_count_for(int node_count);

/// Creates the aggregates (groups of nodes) of an operator A that stores its matrix. part [node_count], with parts 0 to
/// part_count - 1, may be NULL. If `part` is given, no aggregate contains nodes of two parts, and aggregates are sorted
/// by part. If it is NULL, METIS divides the nodes into about aggregate_count_for(node_count) groups. Fails if memory
/// runs out or on interrupt.
bool aggregates_create(Aggregates *aggregates, const Operator *A, const int *part, int part_count, Error *error);
void aggregates_destroy(Aggregates *aggregates);

#ifdef __cplusplus
}
#endif
