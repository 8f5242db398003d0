// Aggregates of a matrix in parts, for the resident solver. An aggregate is a connected group of nodes; their rigid
// motions form the coarse space of a preconditioner (coarse.h). In a matrix in parts, each node belongs to one part,
// which one multiprocessor processes (part_layout.h). Here the aggregates are the connected pieces of the parts. So
// each aggregate belongs to one part, which can compute the coarse residual of the aggregate without data of other
// parts. The halo of a part consists of the neighbours of its nodes in other parts. The rigid motions at the halo need
// amplitudes of some aggregates of other parts.
#pragma once
#include "sim/operator/parts/part_layout.h"
#include "sim/solver/multigrid/aggregates.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays on the host. A zeroed PartAggregates is empty.
typedef struct PartAggregates {
  // Maxima over all parts. near_max: number of aggregates (groups) with nodes of a part or of its halo. owned_max:
  // number of aggregates that a part owns.
  int near_max, owned_max;
  int *owned_start;  // [part_count + 1], first aggregate that each part owns
  int *near_start;   // [part_count + 1], offsets into `near`: first entry of each part
  // For each part, the aggregates (groups) of its local nodes (its own nodes and its halo): first the part's own
  // aggregates, then the others, ascending. Example: part 1 owns the aggregates 3 and 4, and its halo has nodes of 7:
  // 3, 4, 7.
  int *near;
  // [node_count + halo_count], in the order of PartLayout.node. For each local node of a part, the index of its
  // aggregate (group) in the part's section of `near`; -1: the node has no aggregate.
  int *slot;
} PartAggregates;

/// Creates the aggregates (groups of nodes) of an operator in parts, and these lists. Fails if memory runs out or on
/// interrupt.
bool part_aggregates_create(PartAggregates *near, Aggregates *aggregates, const Operator *A, Stream stream,
                            Error *error);
void part_aggregates_destroy(PartAggregates *near);

#ifdef __cplusplus
}
#endif
