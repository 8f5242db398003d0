// Element records in chunks: an assembly that keeps a record of each cell in memory, and then adds records up by nodes
// and pairs of nodes (node_pairs.h), works on as many cells at a time as a budget holds, chunk after chunk in the same
// room. Chunks are ranges of cells in their order, which is that in which a target's sources are added up: so where a
// target's cells are in several chunks, each goes on from the sum that the one before has stored, and the result has
// the same bits for any number of chunks. Chunks of rows instead, with all cells that touch them, would evaluate and
// write the cells at their borders again, some 360 bytes each, where here a pair's block at a border is read once more
// and written twice more, 108 bytes (docs/decisions/014-record-chunks.md).
//
//   chunk 0   evaluate cells 0 .. n | add up their pairs, and their nodes
//   chunk 1   evaluate cells n .. 2 n, over the records of before | add up, from what is there
//
// A chunk's lists: one for each target that has a cell in it, the sources numbered from the chunk's first cell on. A
// list that goes on begins with a source of its own, the carry: the number beyond the chunk's sources, plus the list's
// number within its block of threads. Whoever walks the lists takes the target's sum in its place.
#pragma once
#include "sim/assembly/node_pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lists of all chunks, in blocks of so many lists: each chunk begins with a block, so those behind its last list
// are empty.
typedef struct ChunkLists {
  int block_count;
  int *block_start;     // [chunks + 1]: the blocks of each chunk
  int *block_list;      // [block_count + 1]: the lists of each block
  int64_t *item_start;  // [lists + 1]
  int *item;            // carries and sources, as above
  int *target;          // [lists], -1 where there is none
  int64_t carried;      // lists that begin with a carry
} ChunkLists;

/// How many cells make a chunk, of records of `cell_bytes` each: what `budget` bytes hold (0: all), in whole blocks of
/// `block_cells` and chunks of one size, as far as that goes. Where a device evaluates `wave` blocks at a time and
/// is as long at it with fewer, there may be more chunks than need be, so that there are fewer waves; 1: no matter. 0,
/// with the least budget in the error, where it does not hold a block, or all there are.
int record_chunk_cells(int cell_count, int block_cells, int wave, double cell_bytes, double budget, Error *error);

/// Lists of targets [0, target_count), whose sources ascend from source[start[t]] to source[start[t + 1] - 1]; a
/// source's cell is the source over `sources_per_cell`. `block_targets` lists in a block. Fails for lack of memory,
/// interrupted, or where chunks are so small that their lists are too many.
bool chunk_lists_create(ChunkLists *lists, int target_count, const int64_t *start, const int *source,
                        int sources_per_cell, int cell_count, int chunk_cells, int block_targets, Error *error);
void chunk_lists_destroy(ChunkLists *lists);

/// The first carry of chunks of this many cells: sources are below.
HOST_DEVICE int chunk_carry(int sources_per_cell, int chunk_cells) {
  return sources_per_cell * chunk_cells;
}

#ifdef __cplusplus
}
#endif
