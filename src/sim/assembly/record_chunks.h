// Element records in chunks. An assembly that writes a record of each cell to memory, and then sums records by nodes
// and node pairs (node_pairs.h), processes as many cells at a time as a budget holds, and reuses the memory for each
// chunk. Chunks are ranges of cells in ascending order, which is also the order of a target's sources. If a target has
// cells in several chunks, each chunk continues from the stored sum, so the result has the same bits for any number of
// chunks. Chunks of rows would evaluate and write the cells at their borders again, some 360 bytes each. Here a pair's
// block at a border is read once more and written twice more, 108 bytes (docs/decisions/014-record-chunks.md).
//
//   chunk 0   evaluate cells 0 .. n   | sum the pairs, then the nodes
//   chunk 1   evaluate cells n .. 2 n | sum, starting from the stored sums
//
// A chunk has one list for each target that has a cell in it; sources are numbered from the chunk's first cell. A list
// that continues an earlier chunk begins with a carry: an item equal to the number of sources of a chunk, plus the
// list's number within its thread block. The kernel replaces a carry by the target's stored sum.
#pragma once
#include "sim/assembly/node_pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lists of all chunks, in blocks of a fixed number of lists. Each chunk begins with a new block; the unused lists at
// its end are empty.
typedef struct ChunkLists {
  int block_count;
  int *block_start;     // [chunks + 1]: first block of each chunk
  int *block_list;      // [block_count + 1]: first list of each block
  int64_t *item_start;  // [lists + 1]
  int *item;            // carries and sources, see above
  int *target;          // [lists], -1 for an unused list
  int64_t carried;      // number of lists that begin with a carry
} ChunkLists;

/// Number of cells of a chunk whose records take `cell_bytes` each, so that a chunk fits `budget` bytes (0: all cells).
/// Chunks are whole blocks of `block_cells` and equally large if possible. `wave` is the number of blocks that the
/// device evaluates at a time; a partial wave takes as long as a full one, so there may be more chunks than necessary
/// if that makes fewer waves. `wave` 1 ignores this. Returns 0, with the smallest possible budget in the error, if the
/// budget does not hold a single block.
int record_chunk_cells(int cell_count, int block_cells, int wave, double cell_bytes, double budget, Error *error);

/// Builds the lists of targets [0, target_count). The sources of target t ascend from source[start[t]] to
/// source[start[t + 1] - 1]; a source's cell is source / sources_per_cell. A block has `block_targets` lists. Fails if
/// memory runs out, if interrupted, or if chunks are so small that there are too many lists.
bool chunk_lists_create(ChunkLists *lists, int target_count, const int64_t *start, const int *source,
                        int sources_per_cell, int cell_count, int chunk_cells, int block_targets, Error *error);
void chunk_lists_destroy(ChunkLists *lists);

/// First item number that is a carry; smaller items are sources.
HOST_DEVICE int chunk_carry(int sources_per_cell, int chunk_cells) {
  return sources_per_cell * chunk_cells;
}

#ifdef __cplusplus
}
#endif
