// Colours for parallel loops over cells that add to data of their nodes, on two levels (paper 001, section 4.1). First
// level: consecutive cells form blocks, and blocks have colours. Blocks of one colour have no node in common, so that
// they can run in parallel. Second level: the cells of a block are processed in turns, and each cell has the number of
// its turn. Cells of a block with one turn have no node in common, so that threads can process them in parallel. Blocks
// and cells get the first free colour or turn. Additions to a node therefore always have the same order.
#pragma once
#include "device/device.h"
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CELL_COLOURS_MAX = 64 };

// A zeroed CellColours is empty.
typedef struct CellColours {
  Device device;
  int block;                        // cells per block: cell e is in block e / block
  int block_count;                  // number of blocks
  int count;                        // number of colours of blocks
  int start[CELL_COLOURS_MAX + 1];  // [c]: index into block_of of the first block with colour c
  int *block_of;                    // [block_count], block numbers sorted by colour; on the device
  int turns;                        // largest number of turns in a block
  uint8_t *turn;                    // [cell_count], turn of each cell; on the device
} CellColours;

/// Computes colours for blocks of `block` cells. Fails if memory runs out, or if CELL_COLOURS_MAX colours are not
/// enough.
bool cell_colours_create(CellColours *colours, const Space *space, Device device, int block, Error *error);
void cell_colours_destroy(CellColours *colours);

#ifdef __cplusplus
}
#endif
