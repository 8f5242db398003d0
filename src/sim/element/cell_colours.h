// Two levels of colours for loops over cells that add to data of common nodes (paper 001, section 4.1). Blocks of
// consecutive cells with equal colours have no node in common and run in parallel. Within a block each cell has a turn,
// and cells of one turn have no node in common. Blocks and cells get the first free colour, so additions to a node
// always have the same order.
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
  int start[CELL_COLOURS_MAX + 1];  // first block of each colour in block_of
  int *block_of;                    // [block_count], sorted by colour; on the device
  int turns;                        // max number of turns in a block
  uint8_t *turn;                    // [cell_count]; on the device
} CellColours;

/// Fails if memory runs out, or if a node has more cells than there are colours.
bool cell_colours_create(CellColours *colours, const Space *space, Device device, int block, Error *error);
void cell_colours_destroy(CellColours *colours);

#ifdef __cplusplus
}
#endif
