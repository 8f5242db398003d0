// A tile of a matrix in parts while it is filled: which block stands in which step of which lane. See part_layout.h.
#pragma once
#include "sim/operator/parts/part_layout.h"

enum {
  TILE_PHASE = 8,       // lanes whose reads of other nodes' numbers a GPU serves at once
  TILE_CELLS_MOST = 31  // more are counted as so many
};

// A block of a row: a pair of the graph, the other node by its local number, and how many cells the two share.
typedef struct TileBlock {
  int64_t pair;
  int local, cells;
} TileBlock;

// A step as it is filled; of no node where a lane has no block.
typedef struct TileStep {
  TileBlock block[PART_LANES];
  int used[PART_LANES / TILE_PHASE][TILE_PHASE];  // blocks of each phase by their local numbers modulo TILE_PHASE
  int sums[TILE_CELLS_MOST + 1];                  // blocks that are sums of so many cells
} TileStep;

// The tile in hand: its rows, and their blocks that have no place yet, those of most cells first. A zeroed PartTile is
// empty.
typedef struct PartTile {
  int lane_row[PART_LANES], lane_count[PART_LANES];  // which row a lane is of, how many blocks it holds
  int lanes, rows;
  int start[PART_LANES + 1], left[PART_LANES];  // of each row, into block
  TileBlock *block;
  TileStep *step;
} PartTile;

/// Room for tiles of at most so many steps. Fails for lack of memory.
bool part_tile_create(PartTile *tile, int step_most, Error *error);
void part_tile_destroy(PartTile *tile);

/// How many of a row's blocks the k-th of its chunks holds.
int part_chunk_length(int length, int chunks, int k);

/// Where the `length` blocks of the next row go; its chunks take the next lanes.
TileBlock *part_tile_row(PartTile *tile, int length, int chunks);

/// Fills the steps, after which step[k].block[lane] is the lane's k-th block where lane_count[lane] > k, and the next
/// row begins a new tile. `exchanged`: takes longer for fewer waits. Same rows, same tile.
void part_tile_fill(PartTile *tile, int steps, bool exchanged);
