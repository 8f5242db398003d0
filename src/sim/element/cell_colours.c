// Computes the colours of blocks of cells, and the turns of the cells in each block (cell_colours.h). Blocks of one
// colour have no node in common, so they can be processed in parallel. A turn is the number of a pass over a block:
// each pass processes the cells with its number at the same time. So these cells must not have a node in common.
#include "sim/element/cell_colours.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"

// Returns the number of the lowest bit of `taken` that is 0, or CELL_COLOURS_MAX if all bits are 1. Bit c is 1 if
// colour c is taken.
static int first_free(uint64_t taken) {
  int colour = 0;
  while (colour < CELL_COLOURS_MAX && taken >> colour & 1) colour++;
  return colour;
}

// Returns the number of the last cell of block `number` plus 1. A block has `block` cells; the last may have fewer.
static int block_end(const Space *space, int block, int number) {
  return space->cell_count - number * block > block ? (number + 1) * block : space->cell_count;
}

// Finds the smallest colour that is free at all nodes of the cells [first, last), marks it as taken at these nodes, and
// returns it; -1 if no colour is left. Bit c of taken[a] is 1 if colour c is taken at node a.
static int colour_cells(const Space *space, int first, int last, uint64_t *taken) {
  const int64_t from = (int64_t)first * space->cell_nodes, to = (int64_t)last * space->cell_nodes;
  uint64_t all = 0;
  for (int64_t k = from; k < to; k++) all |= taken[space->cell[k]];
  const int colour = first_free(all);
  for (int64_t k = from; k < to && colour < CELL_COLOURS_MAX; k++) taken[space->cell[k]] |= UINT64_C(1) << colour;
  return colour < CELL_COLOURS_MAX ? colour : -1;
}

// Chooses a turn (number of a pass) for each cell of the block [first, last), and returns the number of turns. Cells
// with the same turn have no node in common, so they can be processed at the same time. taken [node_count] is work
// memory with one bit for each turn. `taken` must be 0 before the call, and is 0 again afterwards.
static int colour_block(const Space *space, int first, int last, uint64_t *taken, uint8_t *turn) {
  int turns = 0;
  for (int e = first; e < last && turns >= 0; e++) {
    const int colour = colour_cells(space, e, e + 1, taken);
    turn[e] = (uint8_t)colour;
    turns = colour < 0 ? -1 : colour + 1 > turns ? colour + 1 : turns;
  }
  for (int64_t k = (int64_t)first * space->cell_nodes; k < (int64_t)last * space->cell_nodes; k++)
    taken[space->cell[k]] = 0;
  return turns;
}

// Computes colour [block_count], the colour of each block of cells: blocks of one colour have no node in common.
// Computes turn [cell_count], the turn (number of a pass) of each cell in its block: cells of a block with the same
// turn have no node in common. Also sets c->turns, c->count and c->start. taken [node_count] is work memory and must be
// 0.
static bool find_colours(CellColours *c, const Space *space, uint64_t *taken, uint8_t *colour, uint8_t *turn,
                         Error *error) {
  bool enough = true;
  for (int b = 0; b < c->block_count && enough && !interrupt_requested(); b++) {
    const int turns = colour_block(space, b * c->block, block_end(space, c->block, b), taken, turn);
    enough = turns >= 0;
    if (turns > c->turns) c->turns = turns;
  }
  for (int b = 0; b < c->block_count && enough && !interrupt_requested(); b++) {
    const int found = colour_cells(space, b * c->block, block_end(space, c->block, b), taken);
    enough = found >= 0;
    colour[b] = (uint8_t)found;
    if (enough) c->start[found + 1]++;
    if (found >= c->count) c->count = found + 1;
  }
  if (!enough)
    return error_set(error,
                     "a node belongs to too many cells: cells that share a node need different colours, and this "
                     "method has only %d; choose another assembly method or matrix format",
                     CELL_COLOURS_MAX);
  for (int k = 0; k < c->count; k++) c->start[k + 1] += c->start[k];
  return interrupt_check(error);
}

bool cell_colours_create(CellColours *colours, const Space *space, Device device, int block, Error *error) {
  const int cells = space->cell_count, blocks = cells / block + (cells % block > 0);
  *colours = (CellColours){ .device = device, .block = block, .block_count = blocks };
  uint64_t *taken = array_new(space->node_count, sizeof *taken, "colours", error);
  uint8_t *colour = array_new(blocks, 1, "colours", error), *turn = array_new(cells, 1, "colours", error);
  int *block_of = array_new(blocks, sizeof *block_of, "colours", error);
  bool ok = taken && colour && turn && block_of && find_colours(colours, space, taken, colour, turn, error);
  if (ok) {
    int fill[CELL_COLOURS_MAX];
    memcpy(fill, colours->start, sizeof fill);
    for (int b = 0; b < blocks; b++) block_of[fill[colour[b]]++] = b;
    colours->block_of = device_clone(device, block_of, sizeof *block_of * (size_t)blocks, error);
    colours->turn = device_clone(device, turn, (size_t)cells, error);
    ok = colours->block_of && colours->turn;
  }
  free(taken);
  free(colour);
  free(turn);
  free(block_of);
  if (!ok) cell_colours_destroy(colours);
  return ok;
}

void cell_colours_destroy(CellColours *colours) {
  device_free(colours->device, colours->block_of);
  device_free(colours->device, colours->turn);
  *colours = (CellColours){ 0 };
}
