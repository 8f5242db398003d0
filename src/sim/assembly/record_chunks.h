// Assembly in chunks of cells, to save memory. Some assemblies write a record of each element, its vector and matrix,
// to memory, and then sum the records by nodes and node pairs. A target is a node or a pair whose sum is computed. A
// source is the part of a record that is added to it (node_pairs.h). A chunk is as many consecutive cells as a budget
// of memory allows. All chunks use the same memory for their records, one after the other. If a target has cells in
// several chunks, each chunk continues from the sum that is stored in the matrix. The order of additions, and so the
// result's bits, are the same for any number of chunks.
//   chunk 0   evaluate cells 0 .. n   | sum the pairs, then the nodes
//   chunk 1   evaluate cells n .. 2 n | sum, starting from the stored sums
//
// docs/decisions/014-record-chunks.md compares this with chunks of matrix rows.
//
// A chunk has one list for each target that has a cell in it. Its items are sources, numbered from the chunk's first
// cell. If the target has cells in an earlier chunk, the first item is a carry, which stands for the stored sum.
// Carries have numbers above all sources: the number of sources of a chunk, plus the list's number within its thread
// block. Example: a chunk has 100 sources; item 102 is the stored sum of the block's list 2.
#pragma once
#include "sim/assembly/node_pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lists of all chunks. A thread block has a fixed number of lists. Each chunk begins with a new thread block;
// unused lists at its end are empty.
typedef struct ChunkLists {
  int block_count;
  int *block_start;     // [chunks + 1]: first thread block of each chunk
  int *block_list;      // [block_count + 1]: first list of each thread block
  int64_t *item_start;  // [lists + 1], offsets into `item`
  int *item;            // items of all lists: sources, and carries for stored sums
  int *target;          // [lists], target of each list, -1 for an unused list
  int64_t carried;      // number of lists that begin with a carry
} ChunkLists;

/// Returns the number of cells of a chunk. The records of a chunk, cell_bytes per cell, must fit into `budget` bytes; a
/// budget of 0 gives all cells. A chunk is a multiple of block_cells, the cells of a thread block, and chunks are
/// equally large if possible. Returns 0 if the budget is too small for one block; *error then names the smallest
/// possible budget.
///
/// `wave` is the number of blocks that the device evaluates at the same time. The last, partial wave of a chunk takes
/// as long as a full one. So more chunks than necessary are made if that gives fewer waves. A `wave` of 1 ignores this.
int record_chunk_cells(int cell_count, int block_cells, int wave, double cell_bytes, double budget, Error *error);

/// Builds the lists for the targets 0 to target_count - 1. The sources of target t are source[start[t]] to
/// source[start[t + 1] - 1], ascending; source s belongs to cell s / sources_per_cell. A thread block has block_targets
/// lists. Fails if memory runs out, if the user interrupts, or if chunks are so small that there are too many lists.
bool chunk_lists_create(ChunkLists *lists, int target_count, const int64_t *start, const int *source,
                        int sources_per_cell, int cell_count, int chunk_cells, int block_targets, Error *error);
void chunk_lists_destroy(ChunkLists *lists);

/// Returns the smallest item that is a carry, which stands for a stored sum. Smaller items are sources.
HOST_DEVICE int chunk_carry(int sources_per_cell, int chunk_cells) {
  return sources_per_cell * chunk_cells;
}

#ifdef __cplusplus
}
#endif
