// Colours for parallel loops over cells that add to data of their nodes (paper 001, section 4.1). Two cells with a
// common node must not be processed at the same time. There are two levels:
//   1. Consecutive cells form blocks. Blocks of one colour have no node in common, so they may run in parallel.
//   2. The cells of a block are processed in turns. Cells of a block with the same turn have no node in common.
// Blocks get colours in the order of their numbers: each block gets the smallest colour that no earlier block with a
// common node has. Cells of a block get turns in the same way. Example: if blocks 0 and 1 have a common node, and block
// 2 has none with either, their colours are 0, 1, 0. So cells add to a node in a fixed order, and results have the same
// bits in every run.
#pragma once
#include "device/device.h"
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CELL_COLOURS_MAX = 64 };

// The colours of all blocks of cells: blocks of one colour have no node in common. The turns of all cells: a turn is
// the number of a pass over a block, and cells of a block with the same turn have no node in common. A zeroed
// CellColours is empty.
typedef struct CellColours {
  Device device;                    // device of the arrays block_of and `turn`
  int block;                        // number of cells in each block: cell e is in block e / block
  int block_count;                  // number of blocks; a block is `block` consecutive cells
  int count;                        // number of colours of blocks
  int start[CELL_COLOURS_MAX + 1];  // the blocks of colour c are block_of[start[c]] to block_of[start[c + 1] - 1]
  int *block_of;                    // [block_count], block numbers sorted by colour; on the device
  int turns;                        // largest number of turns (passes) of a block
  uint8_t *turn;                    // [cell_count], turn of each cell; on the device
} CellColours;

/// Computes the colours of blocks of `block` consecutive cells, and the turns of cells. Blocks of one colour have no
/// node in common. Within a block, cells of one turn have no node in common. Fails if memory runs out, or if
/// CELL_COLOURS_MAX colours are not enough.
bool cell_colours_create(CellColours *colours, const Space *space, Device device, int block, Error *error);
void cell_colours_destroy(CellColours *colours);

#ifdef __cplusplus
}
#endif
