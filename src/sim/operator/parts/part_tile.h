// Chooses the step in which each block of a matrix in parts is multiplied (part_layout.h), so that few lanes wait for
// the same bank of shared memory. A tile is a group of rows, which one warp multiplies by x. Each lane (thread) has a
// chunk, at most 8 blocks of one row in most rows, and multiplies one of its blocks per step.
#pragma once
#include "sim/operator/parts/part_layout.h"

enum {
  // Number of lanes (threads of a warp) in a phase, a group that reads shared memory at the same time: lanes 0 to 7 are
  // phase 0. In each step every lane reads x once, so a warp needs four phases.
  TILE_PHASE = 8,
  TILE_CELLS_MAX = 31  // largest value of TileBlock.cells; larger counts are stored as this number
};

// A matrix block of a row. pair: index of the block in the graph's lists of neighbours. local: local number, within the
// part, of the node of its column. cells: number of cells that have both nodes of the block.
typedef struct TileBlock {
  int64_t pair;
  int local, cells;
} TileBlock;

// A step of a tile (rows for one warp), in which each lane (thread) multiplies one block. block[lane] is zeroed if the
// lane has no block in this step.
typedef struct TileStep {
  TileBlock block[PART_LANES];
  // used[p][g]: number of blocks of phase p (TILE_PHASE threads that read together) whose column has a local number
  // that is g modulo TILE_PHASE. Different nodes with equal g are in the same bank of shared memory.
  int used[PART_LANES / TILE_PHASE][TILE_PHASE];
  // sums[c]: number of blocks in this step whose TileBlock.cells is c
  int sums[TILE_CELLS_MAX + 1];
} TileStep;

// A tile (rows for one warp) while its blocks are assigned to steps. A zeroed PartTile is empty.
typedef struct PartTile {
  // for each lane (thread): its row, counted within the tile, and the number of blocks of its chunk
  int lane_row[PART_LANES], lane_count[PART_LANES];
  // lanes: number of lanes (threads) that have a chunk. rows: number of rows that have been added to the tile.
  int lanes, rows;
  // for each row of the tile: the index in `block` of its first block, and the number of its blocks that have no step
  // yet
  int start[PART_LANES + 1], left[PART_LANES];
  // [PART_LANES * step_max], the blocks that have no step yet, row after row. part_tile_fill sorts the blocks of a row
  // by decreasing number of cells that have both nodes of the block.
  TileBlock *block;
  // [step_max], the steps, with the blocks that have been assigned to them
  TileStep *step;
} PartTile;

/// Allocates memory for a tile (rows for one warp) of at most `step_max` steps. A chunk has at most one block per step.
/// Fails if memory runs out.
bool part_tile_create(PartTile *tile, int step_max, Error *error);
void part_tile_destroy(PartTile *tile);

/// Returns the number of blocks in chunk k of a row of `length` blocks that is cut into `chunks` chunks. Example: 15
/// blocks in two chunks give 8 and 7.
int part_chunk_length(int length, int chunks, int k);

/// Adds a row of `length` matrix blocks to the tile. The row is cut into `chunks` chunks of some blocks each, and each
/// chunk gets one lane (thread). Returns the address to which the caller must write the blocks.
TileBlock *part_tile_row(PartTile *tile, int length, int chunks);

/// Assigns all blocks of the tile (rows for one warp) to steps. Then tile->step[k].block[lane] is the block that thread
/// `lane` multiplies in step k < lane_count[lane]. With `exchanged`, blocks are also exchanged between steps and lanes,
/// which takes more time and leaves fewer bank conflicts. After this call, the next call of part_tile_row begins a new
/// tile. The same rows always give the same tile.
void part_tile_fill(PartTile *tile, int steps, bool exchanged);
