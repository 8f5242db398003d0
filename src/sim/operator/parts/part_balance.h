// Balances the work of parts. A part is a group of nodes with their rows of the matrix, which one multiprocessor of a
// GPU processes (part_layout.h). METIS divides the nodes so that the parts have equal numbers of matrix blocks. Their
// numbers of cells then differ by up to a third, and an assembly waits for the part with the most cells. Therefore
// part_balance moves nodes at borders from part to part as long as this lowers the largest loads.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// Cost that a node's row adds to its part: the number of its matrix blocks, and of the lanes (threads of a warp) that
// multiply them. A lane multiplies up to 8 off-diagonal blocks. Example: a row of 15 blocks, one of them diagonal,
// needs 2 lanes.
typedef struct RowCost {
  int blocks, lanes;
} RowCost;

/// Moves nodes between `part_count` parts by changing part [node_count], the part of each node. row [node_count] has
/// the cost of each node's row, and `cells` the cells at each node. The largest number of blocks of a part does not
/// grow. A tile is 32 lanes that a warp multiplies together. If the largest number of tiles of a part would grow, or
/// the largest number of nodes that a part reads, the function changes nothing. The result is the same on every
/// machine. Fails if memory runs out or the user interrupts.
bool part_balance(const Space *space, const NodeCells *cells, const RowCost *row, int part_count, int *part,
                  Error *error);

#ifdef __cplusplus
}
#endif
