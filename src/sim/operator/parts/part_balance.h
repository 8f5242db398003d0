// Parts that are cut by row lengths differ by a third in their numbers of cells, and an assembly part by part waits for
// the slowest part. part_balance moves nodes at borders from part to part as long as the largest parts improve.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// Cost of a node's row for its part: blocks, and lanes that hold them.
typedef struct RowCost {
  int blocks, lanes;
} RowCost;

/// Moves nodes between `part_count` parts. part and row are [node_count]; `cells` are the space's. No part gets more
/// blocks than the largest had. If the maximum of tiles, or of nodes with halo, would grow, the parts stay unchanged.
/// The result is the same on every machine. Fails if memory runs out, or if interrupted.
bool part_balance(const Space *space, const NodeCells *cells, const RowCost *row, int part_count, int *part,
                  Error *error);

#ifdef __cplusplus
}
#endif
