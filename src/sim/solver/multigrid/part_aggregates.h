// Aggregates (connected groups of nodes whose rigid motions form the coarse space, aggregates.h) of a matrix in parts
// (part_layout.h). Each node belongs to one part, and each part is processed by one multiprocessor. The aggregates are
// the connected pieces of the parts, so each belongs to one part. A part then computes the coarse residual of its own
// aggregates without data of other parts. The halo of a part are the nodes of other parts that are neighbours of its
// own nodes. To compute the coarse motion of its own nodes and of its halo, a part also needs the amplitudes of
// aggregates of neighbouring parts.
#pragma once
#include "sim/operator/parts/part_layout.h"
#include "sim/solver/multigrid/aggregates.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays on the host. A zeroed PartAggregates is empty.
typedef struct PartAggregates {
  // maximum over all parts: aggregates of local nodes, and aggregates that a part owns
  int near_max, owned_max;
  int *owned_start;  // [part_count + 1], first aggregate of each part
  int *near_start;   // [part_count + 1], offsets into `near`
  // Aggregates of each part's local nodes, that is of its own nodes and its halo: the part's own aggregates first, then
  // the others, ascending.
  int *near;
  // [node_count + halo_count], in the order of PartLayout.node: index of the node's aggregate within its part's section
  // of `near`; -1: none.
  int *slot;
} PartAggregates;

/// Creates the aggregates of an operator in parts, and these lists. Fails if memory runs out or if the user interrupts.
bool part_aggregates_create(PartAggregates *near, Aggregates *aggregates, const Operator *A, Stream stream,
                            Error *error);
void part_aggregates_destroy(PartAggregates *near);

#ifdef __cplusplus
}
#endif
