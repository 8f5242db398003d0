// Packed lists: see packed_lists.h. A column is the entries that one thread reads, one after the other.
#include "sim/assembly/packed_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { THREADS_MAX = 1024, LENGTH_MAX = 256, PIECES = 64 };

// Assignment of the lists of a thread block to its threads. The column of a thread is the sequence of entries that it
// reads. `order` has the lists by decreasing length. For each list, `thread` is its thread, and `begin` the index of
// its first entry in the thread's column.
typedef struct Deal {
  int *order, *thread, *begin;  // [lists]
} Deal;

// Arguments of pack_blocks, a parallel loop. Each piece of the loop (a range of thread blocks) uses its own Deal and
// work memory.
typedef struct Task {
  PackedLists *packed;
  const ListSource *source;
  int threads, batch, grain;
  // true: writes the entries; false: only computes the lengths of the columns
  bool write;
  ListHead head;
  int *deals;   // [PIECES][3][lists_max], the arrays of each piece's Deal
  char *rooms;  // [PIECES][capacity_bytes], buffers for ListSource.give
} Task;

// A thread and the present length of its column, the entries that it reads. A heap of these keeps the thread with the
// shortest column at the top. Of two equal columns, that of the lower thread is first.
typedef struct Load {
  int length, thread;
} Load;

static bool less(Load a, Load b) {
  return a.length < b.length || (a.length == b.length && a.thread < b.thread);
}

static void sink(Load *heap, int count) {
  for (int i = 0;;) {
    int child = 2 * i + 1;
    if (child >= count) return;
    if (child + 1 < count && less(heap[child + 1], heap[child])) child++;
    if (!less(heap[child], heap[i])) return;
    const Load swap = heap[i];
    heap[i] = heap[child];
    heap[child] = swap;
    i = child;
  }
}

// Returns the number of entries of a list with its head, rounded up to whole batches.
static int padded_length(int items, int batch) {
  return (items + batch) / batch * batch;
}

// Assigns the lists of a thread block to its threads. item_start [count + 1] are the offsets of the lists' items.
// Returns the length of the longest column, the sequence of entries that one thread reads.
static int deal_lists(const int64_t *item_start, int count, int threads, int batch, Deal *deal) {
  // Sort the lists by decreasing length, by counting. Lists longer than LENGTH_MAX are rare and all go to the first
  // bin.
  int bin[LENGTH_MAX + 2] = { 0 };
  for (int t = 0; t < count; t++) {
    const int64_t length = item_start[t + 1] - item_start[t];
    bin[LENGTH_MAX - (length < LENGTH_MAX ? length : LENGTH_MAX) + 1]++;
  }
  for (int b = 0; b <= LENGTH_MAX; b++) bin[b + 1] += bin[b];
  for (int t = 0; t < count; t++) {
    const int64_t length = item_start[t + 1] - item_start[t];
    deal->order[bin[LENGTH_MAX - (length < LENGTH_MAX ? length : LENGTH_MAX)]++] = t;
  }
  Load heap[THREADS_MAX];
  for (int t = 0; t < threads; t++) heap[t] = (Load){ 0, t };
  int longest = 0;
  for (int o = 0; o < count; o++) {
    const int t = deal->order[o];
    const int length = (int)(item_start[t + 1] - item_start[t]);
    deal->thread[t] = -1;
    if (length == 0) continue;
    deal->thread[t] = heap[0].thread;
    deal->begin[t] = heap[0].length;
    heap[0].length += padded_length(length, batch);
    if (heap[0].length > longest) longest = heap[0].length;
    sink(heap, threads);
  }
  return longest;
}

static void write_lists(const Deal *deal, int count, const int64_t *item_start, const int *item, int threads, int batch,
                        ListHead head, int *entries) {
  for (int t = 0; t < count; t++) {
    if (deal->thread[t] < 0) continue;
    const int length = padded_length((int)(item_start[t + 1] - item_start[t]), batch);
    int *first = entries + (int64_t)deal->begin[t] * threads + deal->thread[t], *at = first;
    if (head == HEAD_FIRST) *at = -t - 1, at += threads;
    for (int64_t s = item_start[t]; s < item_start[t + 1]; s++, at += threads) *at = item[s] + 1;
    if (head == HEAD_LAST) first[(int64_t)(length - 1) * threads] = -t - 1;
  }
}

static void pack_blocks(const void *task, int first, int last) {
  const Task *t = task;
  const int piece = first / t->grain, maximum = t->source->lists_max;
  int *own = t->deals + (int64_t)piece * 3 * maximum;
  Deal deal = { own, own + maximum, own + 2 * (int64_t)maximum };
  for (int block = first; block < last && !interrupt_requested(); block++) {
    const BlockLists lists =
        t->source->give(t->source->context, block, t->rooms + (size_t)piece * t->source->capacity_bytes);
    const int longest = deal_lists(lists.start, lists.count, t->threads, t->batch, &deal);
    if (t->write)
      write_lists(&deal, lists.count, lists.start, lists.item, t->threads, t->batch, t->head,
                  t->packed->entries + t->packed->start[block]);
    else
      t->packed->start[block + 1] = (int64_t)longest * t->threads;
  }
}

static bool pack(Task *task, Error *error) {
  task->grain = task->packed->block_count / PIECES + 1;
  task->deals = array_new((int64_t)PIECES * 3 * task->source->lists_max, sizeof *task->deals, "packed lists", error);
  task->rooms = array_new(PIECES, task->source->capacity_bytes, "packed lists", error);
  const bool ok = task->deals && task->rooms;
  if (ok) parallel_for(task->packed->block_count, task->grain, pack_blocks, task);
  free(task->deals);
  free(task->rooms);
  return ok && interrupt_check(error);
}

bool packed_lists_measure(PackedLists *packed, int block_count, const ListSource *source, int threads, int batch,
                          Error *error) {
  *packed = (PackedLists){ .block_count = block_count };
  packed->start = array_new((int64_t)block_count + 1, sizeof *packed->start, "packed lists", error);
  Task task = { .packed = packed, .source = source, .threads = threads, .batch = batch };
  if (!packed->start || !pack(&task, error)) return false;
  for (int block = 0; block < block_count; block++) packed->start[block + 1] += packed->start[block];
  return true;
}

bool packed_lists_fill(PackedLists *packed, const ListSource *source, int threads, int batch, ListHead head,
                       Error *error) {
  packed->entries = array_new(packed->start[packed->block_count], sizeof *packed->entries, "packed lists", error);
  Task task = { .packed = packed, .source = source, .threads = threads, .batch = batch, .write = true, .head = head };
  return packed->entries && pack(&task, error);
}

// Lists that already exist in memory: the arguments of packed_lists_create.
typedef struct Whole {
  const int *block_list;
  const int64_t *item_start;
  const int *item;
} Whole;

static BlockLists give_slice(const void *whole, int block, void *buffer) {
  (void)buffer;
  const Whole *w = whole;
  const int first = w->block_list[block];
  return (BlockLists){ w->block_list[block + 1] - first, w->item_start + first, w->item };
}

bool packed_lists_create(PackedLists *packed, int block_count, const int *block_list, const int64_t *item_start,
                         const int *item, int threads, int batch, ListHead head, Error *error) {
  const Whole whole = { block_list, item_start, item };
  ListSource source = { .give = give_slice, .context = &whole, .capacity_bytes = 8 };
  for (int block = 0; block < block_count; block++)
    if (block_list[block + 1] - block_list[block] > source.lists_max)
      source.lists_max = block_list[block + 1] - block_list[block];
  if (packed_lists_measure(packed, block_count, &source, threads, batch, error) &&
      packed_lists_fill(packed, &source, threads, batch, head, error))
    return true;
  packed_lists_destroy(packed);
  return false;
}

void packed_lists_destroy(PackedLists *packed) {
  free(packed->start);
  free(packed->entries);
  *packed = (PackedLists){ 0 };
}
