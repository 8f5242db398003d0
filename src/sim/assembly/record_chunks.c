// Builds the lists for an assembly in chunks of cells (record_chunks.h). A record is the vector and matrix of one cell.
// A target is a node or a pair of nodes, for which the terms of all its cells are summed. A source names a cell and the
// block of its record that is added to a target. If earlier chunks have added to a target, its list begins with a
// carry, which stands for the stored sum.
#include "sim/assembly/record_chunks.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// Returns the number of waves that all chunks take, one chunk after the other. `blocks` thread blocks are divided into
// `chunks` equal chunks. A wave is up to `wave` thread blocks, which a GPU runs at the same time. Example: 24 thread
// blocks in 2 chunks with `wave` = 10 take 2 * 2 = 4 waves; in 3 chunks they take 3.
static int64_t waves_of(int blocks, int chunks, int wave) {
  return (int64_t)chunks * ((blocks - 1) / chunks / wave + 1);
}

int record_chunk_cells(int cell_count, int block_cells, int wave, double cell_bytes, double budget, Error *error) {
  if (!(budget > 0) || budget >= cell_bytes * cell_count) return cell_count;
  const int blocks = (cell_count - 1) / block_cells + 1, fit = (int)(budget / (cell_bytes * block_cells));
  if (fit == 0) {
    const int least = cell_count < block_cells ? cell_count : block_cells;
    error_set(error, "memory_budget is %g MB, but the smallest group of %d cells needs %.4f MB; increase memory_budget",
              budget / 1e6, least, ceil(cell_bytes * least / 100) / 1e4);
    return 0;
  }
  int chunks = (blocks - 1) / fit + 1;
  for (int more = chunks + 1; wave > 1 && (int64_t)(more - 1) * wave < blocks; more++)
    if (waves_of(blocks, more, wave) < waves_of(blocks, chunks, wave)) chunks = more;
  return ((blocks - 1) / chunks + 1) * block_cells;
}

enum { PIECES = 64 };  // pieces of the parallel loop over targets; a target is a node or a pair of nodes

// Arguments of visit_runs, a parallel loop over PIECES pieces of the targets; a target is a node or a pair of nodes.
typedef struct Task {
  // per_chunk: number of sources of a chunk of cells. A source is a number that names a cell and a block of its matrix.
  int target_count, chunks, per_chunk;
  const int64_t *start;
  const int *source;
  int block_targets;
  // [PIECES][chunks], for each piece of the targets and each chunk: lists_at, the index of the next list that is
  // written; items_at, the index of the next item
  int64_t *lists_at, *items_at;
  // the lists that are written; NULL: the loop only counts lists and items in lists_at and items_at
  ChunkLists *made;
} Task;

// The targets, which are nodes or pairs of nodes, are divided into pieces. Makes the lists of the targets in the pieces
// number `piece` to last_piece - 1. All sources (terms) of a target that are in one chunk of cells become one list. If
// the target also has sources in an earlier chunk, the list begins with a carry, which stands for the stored sum.
static void visit_runs(const void *task, int piece, int last_piece) {
  const Task *k = task;
  ChunkLists *made = k->made;
  for (; piece < last_piece; piece++) {
    int64_t *list_at = k->lists_at + (int64_t)piece * k->chunks, *item_at = k->items_at + (int64_t)piece * k->chunks;
    const int first = (int)((int64_t)k->target_count * piece / PIECES);
    const int last = (int)((int64_t)k->target_count * (piece + 1) / PIECES);
    for (int t = first; t < last && !interrupt_requested(); t++)
      for (int64_t s = k->start[t]; s < k->start[t + 1];) {
        const int chunk = k->source[s] / k->per_chunk;
        const int64_t offset = (int64_t)chunk * k->per_chunk, list = list_at[chunk]++, begin = s;
        while (s < k->start[t + 1] && k->source[s] < offset + k->per_chunk) s++;
        const bool carried = begin > k->start[t];
        int64_t at = item_at[chunk];
        item_at[chunk] += s - begin + carried;
        if (!made) continue;
        made->target[list] = t;
        made->item_start[list] = at;
        if (carried) made->item[at++] = k->per_chunk + (int)(list % k->block_targets);
        for (int64_t from = begin; from < s; from++) made->item[at++] = (int)(k->source[from] - offset);
      }
  }
}

// lists_at and items_at have the numbers of lists and of items of each piece and chunk. Replaces these numbers by the
// indices of the first list and of the first item of each piece and chunk. Pads the lists of each chunk to whole thread
// blocks. Sets *items to the number of all items. Returns false if there are too many lists.
static bool assign_runs(const Task *k, ChunkLists *made, int64_t *items) {
  int64_t blocks = 0, at = 0;
  for (int c = 0; c < k->chunks; c++) {
    int64_t lists = blocks * k->block_targets;
    for (int p = 0; p < PIECES; p++) {
      int64_t *list = &k->lists_at[(int64_t)p * k->chunks + c], *item = &k->items_at[(int64_t)p * k->chunks + c];
      const int64_t list_count = *list, item_count = *item;
      *list = lists;
      *item = at;
      lists += list_count;
      at += item_count;
      made->carried += list_count;
    }
    blocks = (lists + k->block_targets - 1) / k->block_targets;
    if (blocks > INT32_MAX / k->block_targets) return false;
    made->block_start[c + 1] = (int)blocks;
  }
  made->block_count = (int)blocks;
  for (int t = 0; t < k->target_count; t++) made->carried -= k->start[t + 1] > k->start[t];
  *items = at;
  return true;
}

bool chunk_lists_create(ChunkLists *lists, int target_count, const int64_t *start, const int *source,
                        int sources_per_cell, int cell_count, int chunk_cells, int block_targets, Error *error) {
  const int chunks = (cell_count - 1) / chunk_cells + 1;
  ChunkLists made = { 0 };
  Task task = { .target_count = target_count,
                .chunks = chunks,
                .per_chunk = chunk_carry(sources_per_cell, chunk_cells),
                .start = start,
                .source = source,
                .block_targets = block_targets };
  int64_t items;
  bool ok = false;
  task.lists_at = array_new((int64_t)PIECES * chunks, sizeof *task.lists_at, "chunks", error);
  task.items_at = array_new((int64_t)PIECES * chunks, sizeof *task.items_at, "chunks", error);
  made.block_start = array_new((int64_t)chunks + 1, sizeof *made.block_start, "chunks", error);
  if (!task.lists_at || !task.items_at || !made.block_start) goto done;
  parallel_for(PIECES, 1, visit_runs, &task);
  if (!assign_runs(&task, &made, &items)) {
    error_set(error, "memory_budget is too small for this mesh: it allows only %d cells at a time; increase it",
              chunk_cells);
    goto done;
  }

  const int64_t count = (int64_t)made.block_count * block_targets;
  made.block_list = array_new((int64_t)made.block_count + 1, sizeof *made.block_list, "chunks", error);
  made.item_start = array_new(count + 1, sizeof *made.item_start, "chunks", error);
  made.item = array_new(items, sizeof *made.item, "chunks", error);
  made.target = array_new(count, sizeof *made.target, "chunks", error);
  if (!made.block_list || !made.item_start || !made.item || !made.target || !interrupt_check(error)) goto done;
  for (int b = 0; b <= made.block_count; b++) made.block_list[b] = b * block_targets;
  task.made = &made;
  parallel_for(PIECES, 1, visit_runs, &task);

  // The last thread block of each chunk is filled up with empty lists. An empty list begins at the end of the chunk's
  // last list.
  for (int c = 0; c < chunks; c++) {
    const int64_t last = (int64_t)(PIECES - 1) * chunks + c;
    for (int64_t list = task.lists_at[last]; list < (int64_t)made.block_start[c + 1] * block_targets; list++) {
      made.target[list] = -1;
      made.item_start[list] = task.items_at[last];
    }
  }

  made.item_start[count] = items;
  ok = interrupt_check(error);
done:
  free(task.lists_at);
  free(task.items_at);
  if (ok)
    *lists = made;
  else
    chunk_lists_destroy(&made);
  return ok;
}

void chunk_lists_destroy(ChunkLists *lists) {
  free(lists->block_start);
  free(lists->block_list);
  free(lists->item_start);
  free(lists->item);
  free(lists->target);
  *lists = (ChunkLists){ 0 };
}
