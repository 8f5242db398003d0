// The linear tets of a quadratic mesh: a space of the corners only, for a matrix P^T A P. P places a node at the middle
// of an edge half-way between the edge's ends. Built once, on the host.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed CornerSpace is empty.
typedef struct CornerSpace {
  Space space;  // cells of corners, and their graph
  int *node;    // [space.node_count], node of the whole space of each corner
  // [nodes of the whole space], corners that move a node: for a corner itself, twice; for a middle the edge's ends.
  int (*parent)[2];
  int *start;  // [space.node_count + 1], offsets into child
  int *child;  // nodes of the whole space that a corner moves, ascending: itself and the middles of its edges

  // NULL without `targets`.
  int64_t *target_start;  // [space.node_count + 1], offsets into target
  // For each child of a corner, each pair of the child, and each of the pair's two parents: the position of that parent
  // among the corner's neighbours.
  uint16_t *target;
} CornerSpace;

/// Creates the space of the corners of `whole`, which must outlive it. `targets`: also builds the lists that project a
/// stored matrix. Fails if memory runs out or if the user interrupts.
bool corner_space_create(CornerSpace *corners, const Space *whole, bool targets, Error *error);
void corner_space_destroy(CornerSpace *corners);

/// Entry of P: weight by which a corner moves one of its children, 1 or 0.5.
static inline double corner_weight(const CornerSpace *corners, int child) {
  return corners->parent[child][0] == corners->parent[child][1] ? 1 : 0.5;
}

#ifdef __cplusplus
}
#endif
