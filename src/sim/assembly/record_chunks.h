// Assembly in chunks of cells. Some assemblies write a record of each element, its vector and matrix, to memory, and
// then sum the records by nodes and node pairs. A target is a node or a pair whose sum is computed; a source is the
// part of a record that is added to it (node_pairs.h). To save memory they process as many cells at a time as a budget
// allows, a chunk, and use the same memory for the records of each chunk. Chunks are ranges of cells in ascending
// order, and a target's sources have this order too. If a target has cells in several chunks, each chunk continues from
// the stored sum. So the result has the same bits for any number of chunks.
//
// The alternative, chunks of matrix rows, would evaluate and write the cells at their borders again, some 360 bytes
// each. With chunks of cells, a pair's block at a border is read once more and written twice more, 108 bytes
// (docs/decisions/014-record-chunks.md).
//
//   chunk 0   evaluate cells 0 .. n   | sum the pairs, then the nodes
//   chunk 1   evaluate cells n .. 2 n | sum, starting from the stored sums
//
// A chunk has one list for each target that has a cell in it. Sources are numbered from the chunk's first cell. If a
// target has cells in an earlier chunk, its list begins with a carry, which stands for the target's stored sum. A carry
// is coded as the number of sources of a chunk plus the list's number within its thread block.
#pragma once
#include "sim/assembly/node_pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lists of all chunks, in thread blocks of a fixed number of lists. Each chunk begins with a new block. At its end,
// unused lists are empty.
typedef struct ChunkLists {
  int block_count;
  int *block_start;     // [chunks + 1]: first thread block of each chunk
  int *block_list;      // [block_count + 1]: first list of each thread block
  int64_t *item_start;  // [lists + 1], offsets into `item`
  int *item;            // carries and sources, coded as above
  int *target;          // [lists], target of each list, -1 for an unused list
  int64_t carried;      // number of lists that begin with a carry
} ChunkLists;

/// Returns the number of cells of a chunk, such that the records of a chunk, of cell_bytes per cell, fit into `budget`
/// bytes; a budget of 0 gives all cells. Chunks are whole blocks of block_cells and equally large if possible. `wave`
/// is the number of blocks that the device evaluates at the same time. A partial wave takes as long as a full one, so
/// there may be more chunks than necessary if that makes fewer waves; a `wave` of 1 ignores this. Returns 0 if the
/// budget is too small for one block; *error then names the smallest possible budget.
int record_chunk_cells(int cell_count, int block_cells, int wave, double cell_bytes, double budget, Error *error);

/// Builds the lists of targets 0 to target_count - 1. The sources of target t ascend from source[start[t]] to
/// source[start[t + 1] - 1]. The cell of a source is source / sources_per_cell. A block has block_targets lists. Fails
/// if memory runs out, if the user interrupts, or if chunks are so small that there are too many lists.
bool chunk_lists_create(ChunkLists *lists, int target_count, const int64_t *start, const int *source,
                        int sources_per_cell, int cell_count, int chunk_cells, int block_targets, Error *error);
void chunk_lists_destroy(ChunkLists *lists);

/// The smallest item that is a carry. Smaller items are sources.
HOST_DEVICE int chunk_carry(int sources_per_cell, int chunk_cells) {
  return sources_per_cell * chunk_cells;
}

#ifdef __cplusplus
}
#endif
