// Assembly in chunks of cells, to save memory. Some assemblies write the vector and matrix of each cell to memory;
// together these are the cell's record. Then they sum the records at nodes and pairs of nodes. These words are used:
//   target   a node or a pair of nodes, whose sum is computed
//   source   a number that names a cell and the block of its record that is added to a target (node_pairs.h)
//   chunk    as many consecutive cells as a budget of memory allows
// All chunks use the same memory, one after the other. If a target has cells in several chunks, each later chunk
// continues from the sum that is already stored in the matrix. So the order of additions, and the bits of the result,
// do not depend on the number of chunks.
//   chunk 0   evaluate cells 0 to n - 1     | sum the pairs, then the nodes
//   chunk 1   evaluate cells n to 2 n - 1   | sum, starting from the stored sums
//
// In each chunk, a target has a list of sources; cells are counted from the chunk's first cell. If an earlier chunk has
// stored a sum, the first item of the list is a carry, a number that stands for this sum. Its value is the number of
// sources of a chunk, plus the index of the list in its thread block. Example: a chunk has 100 sources; item 102 is the
// stored sum of list 2. docs/decisions/014-record-chunks.md compares this method with chunks of matrix rows.
#pragma once
#include "sim/assembly/node_pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lists of all chunks, to be packed for the thread blocks of a GPU (packed_lists.h). A list has the terms of one
// node or one pair of nodes from one chunk of cells. Each thread block has block_targets lists. Each chunk begins with
// a new thread block. The last lists of a chunk's last thread block may be empty. A zeroed ChunkLists is empty.
typedef struct ChunkLists {
  int block_count;      // number of thread blocks of all chunks
  int *block_start;     // [chunks + 1]: number of the first thread block of each chunk
  int *block_list;      // [block_count + 1]: number of the first list of each thread block
  int64_t *item_start;  // [lists + 1]: list l has the items item[item_start[l]] to item[item_start[l + 1] - 1]
  int *item;            // items of all lists: sources (blocks of records), and carries (stored sums)
  int *target;          // [lists], the node or pair that each list sums; -1: the list is unused
  int64_t carried;      // number of lists that begin with a carry, the sum of an earlier chunk
} ChunkLists;

/// Returns the number of cells of a chunk. A chunk is a range of cells whose vectors and matrices, cell_bytes bytes for
/// each cell, are in memory at the same time. They must fit into `budget` bytes. If they all fit or `budget` is 0, all
/// cells are one chunk. Otherwise the result is a multiple of block_cells, the cells of a thread block, and chunks are
/// equally large if possible. If the budget is too small for one thread block, the function returns 0, and *error names
/// the smallest possible budget.
///
/// `wave` is the number of thread blocks that the device runs at the same time. These thread blocks are a wave. A chunk
/// of fewer thread blocks takes as long as a full wave, and a chunk of 1.2 waves takes as long as two waves. So more
/// chunks can take less time than fewer chunks. Example: 2 chunks of 1.2 waves take 4 waves; 3 chunks of 0.8 waves take
/// 3. The function then makes 3 chunks. If `wave` is 1, it makes as few chunks as possible.
int record_chunk_cells(int cell_count, int block_cells, int wave, double cell_bytes, double budget, Error *error);

/// Builds the lists of all chunks for the targets 0 to target_count - 1; a target is a node or a pair of nodes. Target
/// t has the sources source[start[t]] to source[start[t + 1] - 1], ascending. A source names a cell and a block of its
/// matrix; source s belongs to cell s / sources_per_cell. A thread block has block_targets lists. Fails if memory runs
/// out, if the user interrupts, or if chunks are so small that there are too many lists.
bool chunk_lists_create(ChunkLists *lists, int target_count, const int64_t *start, const int *source,
                        int sources_per_cell, int cell_count, int chunk_cells, int block_targets, Error *error);
void chunk_lists_destroy(ChunkLists *lists);

/// Returns the number of sources of a chunk: chunk_cells cells with sources_per_cell sources each. A source names a
/// cell and a block of its matrix. An item of a list that is less than the result is a source. A larger or equal item
/// is a carry, which stands for a stored sum.
HOST_DEVICE int chunk_carry(int sources_per_cell, int chunk_cells) {
  return sources_per_cell * chunk_cells;
}

#ifdef __cplusplus
}
#endif
