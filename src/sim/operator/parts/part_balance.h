// Parts that are cut by the lengths of rows alone differ by a third in the cells that have a node there, and who
// assembles part by part waits for the last. This moves nodes at borders from part to part as long as the worst of
// them get better.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a node's row costs its part: blocks, and lanes that hold them.
typedef struct RowCost {
  int blocks, lanes;
} RowCost;

/// Moves nodes between `part_count` parts, part [node_count], of rows [node_count]; `cells` are the space's. No part
/// gets more blocks than the one with most had. Where one would then have more tiles, or nodes with its halo, than any
/// had before, all stays as it was. The same on any machine. Fails for lack of memory, or interrupted.
bool part_balance(const Space *space, const NodeCells *cells, const RowCost *row, int part_count, int *part,
                  Error *error);

#ifdef __cplusplus
}
#endif
