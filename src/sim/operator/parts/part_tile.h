// A tile of a matrix in parts during its construction: assigns blocks to steps and lanes. See part_layout.h.
#pragma once
#include "sim/operator/parts/part_layout.h"

enum {
  TILE_PHASE = 8,      // lanes whose reads of other nodes' values a GPU serves at once
  TILE_CELLS_MAX = 31  // cap on counts of cells
};

// A block of a row: its pair in the graph, the local number of the other node, and the number of cells with both nodes.
typedef struct TileBlock {
  int64_t pair;
  int local, cells;
} TileBlock;

// A step during construction; `block` is zero for a lane that has none.
typedef struct TileStep {
  TileBlock block[PART_LANES];
  int used[PART_LANES / TILE_PHASE][TILE_PHASE];  // blocks per phase and local number modulo TILE_PHASE
  int sums[TILE_CELLS_MAX + 1];                   // blocks per number of cells
} TileStep;

// The current tile: its rows, and their blocks that have no step yet, sorted by decreasing number of cells. A zeroed
// PartTile is empty.
typedef struct PartTile {
  int lane_row[PART_LANES], lane_count[PART_LANES];  // row of each lane, number of blocks that it holds
  int lanes, rows;
  int start[PART_LANES + 1], left[PART_LANES];  // for each row: first index in `block`, blocks without a step
  TileBlock *block;
  TileStep *step;
} PartTile;

/// Allocates memory for tiles of at most `step_max` steps. Fails if memory runs out.
bool part_tile_create(PartTile *tile, int step_max, Error *error);
void part_tile_destroy(PartTile *tile);

/// Number of blocks in the k-th of a row's chunks.
int part_chunk_length(int length, int chunks, int k);

/// Adds a row, whose chunks occupy the next lanes. Returns the address to which its `length` blocks are to be written.
TileBlock *part_tile_row(PartTile *tile, int length, int chunks);

/// Fills the steps. Then step[k].block[lane] is the lane's k-th block if lane_count[lane] > k, and the next row begins
/// a new tile. `exchanged` spends more time on fewer bank conflicts. The same rows give the same tile.
void part_tile_fill(PartTile *tile, int steps, bool exchanged);
