// Aggregates: connected groups of nodes. Their rigid motions span the coarse space of the two-level preconditioner
// (coarse.h). Lists give the matrix entries that couple each pair of aggregates. They are built once for a matrix, on
// the host.
//
// Connectivity matters more than equal sizes. If one aggregate of 132 contains two fingers of a hand, its rigid motions
// fit neither of them, and CG needs one and a half times the iterations.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AGGREGATES_MAX = 512 };

// A block of the matrix that couples two aggregates, or two nodes of one.
typedef struct AggregateItem {
  BlockSlots slots;
  int row, column;  // nodes; if equal: the node's diagonal block, in Operator.blocks
} AggregateItem;

typedef struct AggregatePair {
  int row, column;  // aggregates, row <= column
} AggregatePair;

// A zeroed Aggregates is empty.
typedef struct Aggregates {
  int node_count;
  int count;
  int *of;      // [node_count], aggregate of each node; -1: none, for some small bodies if there are many
  int *start;   // [count + 1], offsets into member; nodes without aggregate follow from start[count] on
  int *member;  // [node_count], nodes sorted by aggregate, then by number
  int pair_count;
  AggregatePair *pair;  // [pair_count], pairs that the matrix couples, sorted by row
  int64_t *item_start;  // [pair_count + 1], offsets into item
  AggregateItem *item;  // [item_start[pair_count]]; between two aggregates only blocks with the row in the first
} Aggregates;

/// Intended number of aggregates for a body. There may be up to twice as many, and more for additional small bodies.
int aggregate_count_for(int node_count);

/// Creates the aggregates of an operator that stores values. With `part` [node_count], numbers in [0, part_count), no
/// aggregate contains nodes of two parts, and aggregates are sorted by part. If it is NULL, METIS divides the nodes
/// into aggregate_count_for parts. Fails if memory runs out or if the user interrupts.
bool aggregates_create(Aggregates *aggregates, const Operator *A, const int *part, int part_count, Error *error);
void aggregates_destroy(Aggregates *aggregates);

#ifdef __cplusplus
}
#endif
