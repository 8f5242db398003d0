// Aggregates: connected groups of nodes whose rigid motions are the coarse space of the two-level preconditioner
// (coarse.h), and which entries of a matrix couple which two of them. Made once for a matrix, on the host.
//
// That they are connected matters more than that they are equal: where two fingers of a hand share one aggregate of
// 132, its rigid motions move neither of them well, and CG takes one and a half times the iterations.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AGGREGATES_MOST = 512 };

// A block of the matrix that couples two aggregates, or nodes of one.
typedef struct AggregateItem {
  BlockPlace place;
  int row, column;  // nodes; the same: the node's own block, which stands in Operator.blocks
} AggregateItem;

typedef struct AggregatePair {
  int row, column;  // aggregates, row <= column
} AggregatePair;

// A zeroed Aggregates is empty.
typedef struct Aggregates {
  int node_count;
  int count;
  int *of;      // [node_count], the node's aggregate; -1: none, being of one small body of many
  int *start;   // [count + 1], into member; behind start[count] stand the nodes of none
  int *member;  // [node_count], nodes by aggregates, ascending
  int pair_count;
  AggregatePair *pair;  // [pair_count], those that the matrix couples, by rows
  int64_t *item_start;  // [pair_count + 1], into item
  AggregateItem *item;  // [item_start[pair_count]], of two aggregates those whose row is in the first
} Aggregates;

/// How many aggregates serve a body; there may be twice as many, and others for small bodies beside it.
int aggregate_count_for(int node_count);

/// The aggregates of an operator that stores values. `part` [node_count] in [0, part_count): no aggregate has nodes of
/// two of these, and they come by parts; NULL: as many as serve the body. Fails for lack of memory, or interrupted.
bool aggregates_create(Aggregates *aggregates, const Operator *A, const int *part, int part_count, Error *error);
void aggregates_destroy(Aggregates *aggregates);

#ifdef __cplusplus
}
#endif
