// The linear tets of a quadratic mesh, as a space whose nodes are the corners only. It is a level of multigrid (pmg.c),
// with the matrix P^T A P. P interpolates linearly: the node at the middle of an edge moves by the mean of the motions
// of the edge's ends. The space is built once, on the host.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// The corner nodes of a quadratic mesh, as a mesh of linear tets. A zeroed CornerSpace is empty.
typedef struct CornerSpace {
  Space space;  // cells of four corners, and the neighbours of each corner
  // [space.node_count], node of the quadratic mesh at each corner
  int *node;
  // [nodes of the quadratic mesh], two corners for each node: P moves the node by the mean of their motions. For a node
  // at the middle of an edge, they are the ends of the edge; for a corner, each of the two is this corner.
  int (*parent)[2];
  int *start;  // [space.node_count + 1], first index in `child` of each corner
  // For each corner, the nodes that it moves in P, ascending: the corner itself and the middles of its edges.
  int *child;

  // [space.node_count + 1], first index in `target` of each corner; NULL unless created with `targets`
  int64_t *target_start;
  // List for computing P^T A P from a stored A. The block (a, b) of A contributes to the blocks (p, q) of P^T A P,
  // where p is a parent of a, and q a parent of b. An element of `target` is the index of q among the neighbours of p.
  // Sorted by p, child a of p, neighbour b of a, and parent q of b (q twice if b is a corner). NULL without `targets`.
  uint16_t *target;
} CornerSpace;

/// Creates the space of the corners of the quadratic mesh `whole`, which must outlive it. With `targets`, also builds
/// the lists by which P^T A P is computed from a stored matrix A. Fails if memory runs out or if the user interrupts.
bool corner_space_create(CornerSpace *corners, const Space *whole, bool targets, Error *error);
void corner_space_destroy(CornerSpace *corners);

/// Returns the weight in P of each parent corner of node `child`: 1 for a corner, 0.5 for the middle of an edge.
static inline double corner_weight(const CornerSpace *corners, int child) {
  return corners->parent[child][0] == corners->parent[child][1] ? 1 : 0.5;
}

#ifdef __cplusplus
}
#endif
