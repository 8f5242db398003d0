// Aggregates: connected groups of nodes. Their rigid motions span the coarse space of the two-level preconditioner
// (coarse.h). For each pair of aggregates, this file also lists the matrix blocks that couple their nodes. The lists
// are built once for a matrix, on the host.
//
// It is important that aggregates are connected. Example: one of 132 aggregates of a hand contains parts of two
// fingers. Its rigid motions fit neither finger, and conjugate gradients need one and a half times the iterations.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AGGREGATES_MAX = 512 };

// A matrix block that couples nodes of two aggregates (groups of nodes), or two nodes of one aggregate.
typedef struct AggregateItem {
  BlockSlots slots;  // position of the block in Operator.values
  int row, column;   // nodes of the block's row and column; if equal: the node's diagonal block, in Operator.blocks
} AggregateItem;

typedef struct AggregatePair {
  int row, column;  // two aggregates that the matrix couples, row <= column
} AggregatePair;

// The aggregates (groups of nodes) of a body, and the matrix blocks that couple them. A zeroed Aggregates is empty.
typedef struct Aggregates {
  int node_count;
  int count;  // number of aggregates
  // [node_count], aggregate (group) of each node; -1: none. A node has none only if the mesh has more than
  // AGGREGATES_MAX separate pieces, and the node's piece is small.
  int *of;
  // [count + 1], offsets into `member`: first node of each aggregate; nodes without an aggregate begin at start[count]
  int *start;
  int *member;     // [node_count], the nodes, sorted by aggregate, then by number
  int pair_count;  // number of pairs of aggregates that the matrix couples
  // [pair_count], pairs of aggregates (groups of nodes) that the matrix couples, sorted by row
  AggregatePair *pair;
  int64_t *item_start;  // [pair_count + 1], offsets into `item`: first block of each pair
  // The matrix blocks of each pair of aggregates (groups), pair after pair. For a pair of different aggregates, only
  // the blocks are listed whose row is in the first aggregate and whose column is in the second.
  AggregateItem *item;
} Aggregates;

/// Returns the intended number of aggregates (groups of nodes) for a body. The actual number may be up to twice as
/// large, and larger if there are many small separate bodies.
int aggregate_count_for(int node_count);

/// Creates the aggregates (groups of nodes) of an operator that stores values. If `part` [node_count] is not NULL,
/// part[a] is the part of node a, from 0 to part_count - 1. No aggregate then contains nodes of two parts, and
/// aggregates are sorted by part. If `part` is NULL, METIS divides the nodes into aggregate_count_for parts. Fails if
/// memory runs out or on interrupt.
bool aggregates_create(Aggregates *aggregates, const Operator *A, const int *part, int part_count, Error *error);
void aggregates_destroy(Aggregates *aggregates);

#ifdef __cplusplus
}
#endif
