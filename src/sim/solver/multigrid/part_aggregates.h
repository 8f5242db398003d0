// The coarse space of a matrix in parts: aggregates are the connected pieces of its parts, so a part sums the coarse
// residual of its own aggregates alone, and moves its nodes and its halo by what it hears of those near it.
#pragma once
#include "sim/operator/parts/part_layout.h"
#include "sim/solver/multigrid/aggregates.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays on the host. A zeroed PartAggregates is empty.
typedef struct PartAggregates {
  int near_most, own_most;  // of any part
  int *own_start;           // [part_count + 1], each part's own aggregates
  int *near_start;          // [part_count + 1], into near
  int *near;                // aggregates of each part's local nodes: its own, then others ascending
  int *slot;  // [node_count + halo_count], by local nodes as in PartLayout.node: which of the part's near; -1: none
} PartAggregates;

/// Both, of an operator in parts. Fails for lack of memory, or interrupted.
bool part_aggregates_create(PartAggregates *near, Aggregates *aggregates, const Operator *A, Stream stream,
                            Error *error);
void part_aggregates_destroy(PartAggregates *near);

#ifdef __cplusplus
}
#endif
