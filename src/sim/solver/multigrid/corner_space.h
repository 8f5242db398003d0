// The linear tets within quadratic ones: a space of their corners alone, for a matrix P^T A P, where P puts a node in
// the middle of an edge half-way between the two ends. Made once, on the host.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed CornerSpace is empty.
typedef struct CornerSpace {
  Space space;       // cells of the corners; its graph
  int *node;         // [space.node_count], the corner's number in the whole space
  int (*parent)[2];  // [nodes of the whole space], of a corner its own number here, twice; of a middle the edge's two
  int *start;        // [space.node_count + 1], into child
  int *child;        // nodes of the whole space that a corner moves, ascending: itself and the middles of its edges
  // of whoever asked for targets
  int64_t *target_start;  // [space.node_count + 1], into target
  uint16_t *target;       // for each child of a corner, each pair of the child, and each of the pair's two parents: the
                          // position of that parent among the corner's neighbours
} CornerSpace;

/// Fails for lack of memory, or interrupted. `whole` outlives it. With `targets` it has what the values of a stored
/// matrix are projected by.
bool corner_space_create(CornerSpace *corners, const Space *whole, bool targets, Error *error);
void corner_space_destroy(CornerSpace *corners);

/// How much a corner moves one of its children.
static inline double corner_weight(const CornerSpace *corners, int child) {
  return corners->parent[child][0] == corners->parent[child][1] ? 1 : 0.5;
}

#ifdef __cplusplus
}
#endif
