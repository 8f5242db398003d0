// Colours in two levels for loops over cells that add to what neighbours share (paper 001, section 4.1): blocks of
// consecutive cells, of which those of a colour share no node and run side by side; and within a block cells take
// turns, of which those of one turn share no node. Each is given the first colour that is free, so what is added to a
// node comes in an order that is always the same.
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
  int block;                        // cells of a block: e / block is its number
  int block_count;                  // blocks
  int count;                        // colours of blocks
  int start[CELL_COLOURS_MAX + 1];  // where each colour's blocks begin in block_of
  int *block_of;                    // [block_count], by colours; on the device
  int turns;                        // most turns in a block
  uint8_t *turn;                    // [cell_count]; on the device
} CellColours;

/// Fails for lack of memory, or where a node has more neighbours than there are colours.
bool cell_colours_create(CellColours *colours, const Space *space, Device device, int block, Error *error);
void cell_colours_destroy(CellColours *colours);

#ifdef __cplusplus
}
#endif
