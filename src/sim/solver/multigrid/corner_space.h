// The linear tets of a quadratic mesh: a space whose nodes are the corners only. Multigrid (pmg.c) solves on it with
// the matrix P^T A P. P interpolates linearly: the node at the middle of an edge moves by the mean of the edge's
// corners. The space is built once, on the host.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed CornerSpace is empty.
typedef struct CornerSpace {
  Space space;  // cells of corners, and their graph
  // [space.node_count], node of the quadratic mesh at each corner
  int *node;
  // [nodes of the quadratic mesh], the two corners of each node, whose mean motion the interpolation P assigns to the
  // node. For the middle of an edge these are the edge's ends, for a corner twice the corner itself.
  int (*parent)[2];
  int *start;  // [space.node_count + 1], offsets into `child`: first entry of each corner
  // For each corner, the nodes of the quadratic mesh whose interpolated motion depends on the corner, ascending: the
  // corner's node and the middles of its edges.
  int *child;

  // target_start and `target` are NULL unless the space was created with `targets`.
  int64_t *target_start;  // offsets into `target`: first entry of each corner
  // To compute P^T A P (P: interpolation) from a stored matrix A: each block (a, b) of A is added, with weights, to the
  // blocks (p, q) of P^T A P in which p is a parent of a, and q a parent of b. For each corner p, each child a of p,
  // each neighbour b of a in the mesh and each of the two parents q of b, the list has the index of q among the
  // neighbours of p.
  uint16_t *target;
} CornerSpace;

/// Creates the space of the corners of `whole`, which must outlive it. If `targets` is true, also builds the lists by
/// which P^T A P is computed from a stored matrix A. Fails if memory runs out or if the user interrupts.
bool corner_space_create(CornerSpace *corners, const Space *whole, bool targets, Error *error);
void corner_space_destroy(CornerSpace *corners);

/// Returns the weight of each parent corner in the interpolated motion of node `child` of the quadratic mesh: 1 if the
/// node is a corner, 0.5 if it is the middle of an edge.
static inline double corner_weight(const CornerSpace *corners, int child) {
  return corners->parent[child][0] == corners->parent[child][1] ? 1 : 0.5;
}

#ifdef __cplusplus
}
#endif
