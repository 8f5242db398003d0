// One tile of a matrix in parts (part_layout.h) during its construction. A warp processes a tile, 32 chunks: each lane
// (a thread) has one chunk of a row, at most 8 blocks in most rows, and multiplies one of them in each step. This file
// decides which block of its row each lane multiplies in each step, so that few lanes wait for the same bank of shared
// memory.
#pragma once
#include "sim/operator/parts/part_layout.h"

enum {
  // Number of lanes (threads of a warp) whose reads of shared memory a GPU executes together, a phase: lanes 0 to 7 are
  // phase 0. In each step every lane reads x once; the 32 reads of a warp take four phases.
  TILE_PHASE = 8,
  TILE_CELLS_MAX = 31  // larger counts in TileBlock.cells are stored as this number
};

// A matrix block of a row. pair: its number in the graph, an index into the lists of neighbours. local: local number,
// within the part, of the node of its columns. cells: number of cells that have both the row's and the column's node.
typedef struct TileBlock {
  int64_t pair;
  int local, cells;
} TileBlock;

// A step of the tile (32 chunks, each some blocks of a row), in which each lane (thread) multiplies one block.
// block[lane] is zeroed if the lane has no block in this step.
typedef struct TileStep {
  TileBlock block[PART_LANES];
  // used[p][g]: number of blocks in phase p (TILE_PHASE threads that read together) whose local number modulo
  // TILE_PHASE is g. Different nodes of equal g are in the same bank of shared memory.
  int used[PART_LANES / TILE_PHASE][TILE_PHASE];
  // sums[c]: number of blocks of the step that c cells contribute to
  int sums[TILE_CELLS_MAX + 1];
} TileStep;

// The tile (32 chunks) under construction: its rows, and their blocks. A lane is a thread of a warp and has one chunk
// of a row's blocks. Blocks that have no step yet are sorted, within their row, by decreasing number of cells. A zeroed
// PartTile is empty.
typedef struct PartTile {
  // for each lane (thread): its row, counted from the tile's first row, and the number of blocks of its chunk
  int lane_row[PART_LANES], lane_count[PART_LANES];
  // Number of lanes (chunks) and of rows that have been added to the tile.
  int lanes, rows;
  // for each row: the index in `block` of its first block, and its number of blocks without a step
  int start[PART_LANES + 1], left[PART_LANES];
  // [PART_LANES * step_max], the blocks of all rows, row after row.
  TileBlock *block;
  // [step_max], the steps with the blocks that have been assigned to them.
  TileStep *step;
} PartTile;

/// Allocates memory for tiles (32 chunks of rows) of at most `step_max` steps; in a step, each thread multiplies one
/// block of its chunk. Fails if memory runs out.
bool part_tile_create(PartTile *tile, int step_max, Error *error);
void part_tile_destroy(PartTile *tile);

/// Returns the number of blocks in chunk k of a row of `length` blocks that is cut into `chunks` chunks. Example: 15
/// blocks in two chunks give 8 and 7.
int part_chunk_length(int length, int chunks, int k);

/// Adds a row of `length` blocks to the tile (32 chunks, each some blocks of a row). Its `chunks` chunks occupy the
/// next lanes. Returns the address to which the caller must write its blocks.
TileBlock *part_tile_row(PartTile *tile, int length, int chunks);

/// Assigns all blocks of the tile (32 chunks, each some blocks of a row, one per thread of a warp) to steps. Afterwards
/// tile->step[k].block[lane] is the block that thread `lane` multiplies in step k, for k < lane_count[lane]. The next
/// row that is added begins a new tile. If `exchanged` is true, blocks are also exchanged between steps and lanes,
/// which takes more time and leaves fewer bank conflicts. The same rows always give the same tile.
void part_tile_fill(PartTile *tile, int steps, bool exchanged);
