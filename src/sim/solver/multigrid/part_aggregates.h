// Aggregates of a matrix in parts, for the resident solver. An aggregate is a connected group of nodes; the rigid
// motions of aggregates form a coarse space (coarse.h). A part is a group of nodes that one multiprocessor processes
// (part_layout.h). Here the aggregates are the connected pieces of the parts, so a part can compute the coarse
// residuals of its aggregates without data of other parts. The halo of a part consists of the neighbours of its nodes
// in other parts. A part also moves its halo nodes, for which it must receive the motions of aggregates of other parts.
#pragma once
#include "sim/operator/parts/part_layout.h"
#include "sim/solver/multigrid/aggregates.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lists of the aggregates (groups of nodes) that each part needs, on the host. A zeroed PartAggregates is empty.
typedef struct PartAggregates {
  // near_max: max number of aggregates in a part's list `near`. owned_max: max number of a part's own aggregates.
  int near_max, owned_max;
  int *owned_start;  // [part_count + 1], first aggregate of each part
  int *near_start;   // [part_count + 1], first index in `near` of each part
  // For each part, one list: the aggregates of its nodes, ascending, and then the aggregates of other parts that
  // contain halo nodes, ascending. Example: if part 1 has the aggregates 3 and 4, and halo nodes of 7, its list is 3,
  // 4, 7.
  int *near;
  // [node_count + halo_count], in the order of PartLayout.node: for each node of a part or its halo, the index of the
  // node's aggregate within the part's list in `near`; -1: none.
  int *slot;
} PartAggregates;

/// Creates the aggregates (groups of nodes) of an operator whose matrix is divided into parts, and the lists of
/// PartAggregates. Fails if memory runs out or on interrupt.
bool part_aggregates_create(PartAggregates *near, Aggregates *aggregates, const Operator *A, Stream stream,
                            Error *error);
void part_aggregates_destroy(PartAggregates *near);

#ifdef __cplusplus
}
#endif
