// Balances the work of the parts of a matrix. A part is a group of nodes with their rows, which one multiprocessor of a
// GPU processes (part_layout.h). The library METIS divides the nodes into parts with equal numbers of matrix blocks.
// The numbers of cells of these parts differ by up to a third, and an assembly waits for the part with the most cells.
// The function part_balance moves nodes from one part to an adjacent part, so that the largest loads decrease.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// Load that a node's row adds to its part: the number of matrix blocks of the row, and the number of lanes (threads of
// a warp) that multiply it. A lane multiplies up to 8 off-diagonal blocks. Example: a row of 15 blocks, one of them
// diagonal, needs 2 lanes.
typedef struct RowCost {
  int blocks, lanes;
} RowCost;

/// Moves nodes between `part_count` parts (groups of nodes) to reduce the largest loads. part [node_count], the part of
/// each node, is input and output. row [node_count] is the cost of each node's row, and `cells` the cells at each node.
/// The largest number of blocks of a part does not grow. All moves are undone if after them one of two maxima over the
/// parts is larger than before: the number of tiles (32 lanes of a warp), or the number of nodes plus their neighbours
/// in other parts. The result is the same on every machine. Fails if memory runs out or the user interrupts.
bool part_balance(const Space *space, const NodeCells *cells, const RowCost *row, int part_count, int *part,
                  Error *error);

#ifdef __cplusplus
}
#endif
