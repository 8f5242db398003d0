// Aggregates of a matrix in parts: the connected pieces of its parts. A part then computes the coarse residual of its
// own aggregates without other parts. To move its nodes and its halo it needs the motions of the aggregates near it.
#pragma once
#include "sim/operator/parts/part_layout.h"
#include "sim/solver/multigrid/aggregates.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays on the host. A zeroed PartAggregates is empty.
typedef struct PartAggregates {
  int near_max, owned_max;  // maximum over parts
  int *owned_start;         // [part_count + 1], first aggregate of each part
  int *near_start;          // [part_count + 1], offsets into near
  int *near;                // aggregates of each part's local nodes: the part's own, then others, ascending
  // [node_count + halo_count], by local nodes as in PartLayout.node: index of the node's aggregate in its part's
  // section of near; -1: none.
  int *slot;
} PartAggregates;

/// Creates the aggregates of an operator in parts, and these lists. Fails if memory runs out or if the user interrupts.
bool part_aggregates_create(PartAggregates *near, Aggregates *aggregates, const Operator *A, Stream stream,
                            Error *error);
void part_aggregates_destroy(PartAggregates *near);

#ifdef __cplusplus
}
#endif
