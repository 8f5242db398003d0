// One tile of a matrix in parts (part_layout.h) during its construction. A warp processes a tile: each lane has one
// chunk of a row, and processes one matrix block in each step. This file assigns the blocks of the tile's rows to steps
// and lanes, so that few lanes wait for the same bank of shared memory.
#pragma once
#include "sim/operator/parts/part_layout.h"

enum {
  // Number of lanes whose reads of shared memory a GPU executes together, a phase. A warp's reads of one step take
  // several phases.
  TILE_PHASE = 8,
  TILE_CELLS_MAX = 31  // larger counts in TileBlock.cells are stored as this number
};

// A matrix block of a row: its pair of nodes, an index into the graph; the local number of its column's node in the
// part; and the number of cells that have both nodes.
typedef struct TileBlock {
  int64_t pair;
  int local, cells;
} TileBlock;

// A step of the tile, in which each lane processes one block. `block` is zero for a lane without a block in this step.
typedef struct TileStep {
  TileBlock block[PART_LANES];
  // used[p][g]: number of blocks in phase p whose local number modulo TILE_PHASE is g. Different nodes of equal g are
  // in the same bank of shared memory.
  int used[PART_LANES / TILE_PHASE][TILE_PHASE];
  // sums[c]: number of blocks that c cells contribute to
  int sums[TILE_CELLS_MAX + 1];
} TileStep;

// The current tile: its rows, and their blocks. Blocks that have no step yet are sorted by decreasing number of cells.
// A zeroed PartTile is empty.
typedef struct PartTile {
  // for each lane: its row in the tile, and its number of blocks
  int lane_row[PART_LANES], lane_count[PART_LANES];
  int lanes, rows;
  // for each row: its first index in `block`, and its number of blocks without a step
  int start[PART_LANES + 1], left[PART_LANES];
  TileBlock *block;
  TileStep *step;
} PartTile;

/// Allocates memory for tiles of at most `step_max` steps. Fails if memory runs out.
bool part_tile_create(PartTile *tile, int step_max, Error *error);
void part_tile_destroy(PartTile *tile);

/// Returns the number of blocks in chunk k of a row of `length` blocks that is cut into `chunks` chunks.
int part_chunk_length(int length, int chunks, int k);

/// Adds a row of `length` blocks in `chunks` chunks, which occupy the next lanes. Returns the address to which the
/// caller must write its blocks.
TileBlock *part_tile_row(PartTile *tile, int length, int chunks);

/// Assigns all blocks of the tile to steps: afterwards step[k].block[lane] is the lane's k-th block, for k <
/// lane_count[lane]. The next row that is added begins a new tile. If `exchanged` is true, it spends more time to
/// reduce bank conflicts. The same rows always give the same tile.
void part_tile_fill(PartTile *tile, int steps, bool exchanged);
