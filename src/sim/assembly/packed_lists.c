// Packs lists for the threads of a GPU (packed_lists.h). A list has items and one head, a number before or after them.
// A column is the sequence of entries (items, heads and padding) that one thread reads. A thread loads `batch` entries
// at a time.
#include "sim/assembly/packed_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// THREADS_MAX: largest number of threads of a thread block. LENGTH_MAX: lists of at least this length are not sorted
// among each other. PIECES: number of pieces into which the parallel loop over thread blocks is divided.
enum { THREADS_MAX = 1024, LENGTH_MAX = 256, PIECES = 64 };

// Assignment of the lists of one thread block to its threads. A thread's column is the sequence of entries that it
// reads. Three arrays [lists]:
//   order    the numbers of the lists, by decreasing length
//   thread   for each list: the thread that reads it, or -1 if the list is empty
//   begin    for each list: the index of its first entry in the thread's column
typedef struct Deal {
  int *order, *thread, *begin;  // [lists] each
} Deal;

// Arguments of pack_blocks, a parallel loop over thread blocks of the GPU. The loop has at most PIECES pieces of
// `grain` thread blocks, which run in parallel on the CPU. threads: number of threads of a thread block. batch: number
// of entries that a thread loads together.
typedef struct Task {
  PackedLists *packed;
  const ListSource *source;
  int threads, batch, grain;
  // true: the loop writes the entries of the lists; false: it only counts the entries of each thread block
  bool write;
  ListHead head;  // position of a list's head, its one number that is not an item: before the items or after them
  // [PIECES][3][lists_max], for each piece of the loop: memory for the three arrays of Deal, the assignment of lists to
  // threads
  int *deals;
  char *rooms;  // [PIECES][capacity_bytes], work memory of each piece for ListSource.give
} Task;

// A thread of the GPU and the number of entries assigned to it so far. The Loads of all threads form a heap with the
// smallest number at the top. Between equal numbers, the thread with the lower index is nearer to the top.
typedef struct Load {
  int length, thread;
} Load;

static bool less(Load a, Load b) {
  return a.length < b.length || (a.length == b.length && a.thread < b.thread);
}

// Restores the order of a heap [count] after the number of entries at its top has grown: moves the top down until no
// child is less than it.
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

// Returns the number of entries of a list after padding: its items and one head, rounded up to a multiple of `batch`.
// Example: 2 items and `batch` = 4 give 4.
static int padded_length(int items, int batch) {
  return (items + batch) / batch * batch;
}

// Assigns the lists of a thread block to its threads: the longest list first, each to the thread with the fewest
// entries so far. List t has the items item_start[t] to item_start[t + 1] - 1. Returns the largest number of entries of
// a thread.
static int deal_lists(const int64_t *item_start, int count, int threads, int batch, Deal *deal) {
  // Sort the lists by decreasing length, by counting: there is one bin for each length, and one for all lists of
  // LENGTH_MAX items or more, which are rare.
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

// Writes the lists of a thread block to `entries`. Entry k of thread t is entries[k * threads + t].
static void write_lists(const Deal *deal, int count, const int64_t *item_start, const int *item, int threads, int batch,
                        ListHead head, int *entries) {
  for (int t = 0; t < count; t++) {
    if (deal->thread[t] < 0) continue;
    const int length = padded_length((int)(item_start[t + 1] - item_start[t]), batch);
    int *first = entries + (int64_t)deal->begin[t] * threads + deal->thread[t], *at = first;
    if (head == HEAD_FIRST) {
      *at = -t - 1;
      at += threads;
    }
    for (int64_t s = item_start[t]; s < item_start[t + 1]; s++, at += threads) *at = item[s] + 1;
    if (head == HEAD_LAST) first[(int64_t)(length - 1) * threads] = -t - 1;
  }
}

// For each of the thread blocks [first, last): assigns its lists to threads. If t->write is true, it then writes the
// entries of the lists. Otherwise it stores in `start` the number of entries of the thread block.
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

// Lists that are already in memory, the input of packed_lists_create. List l has the items item[item_start[l]] to
// item[item_start[l + 1] - 1]. Thread block b has the lists block_list[b] to block_list[b + 1] - 1.
typedef struct Whole {
  const int *block_list;
  const int64_t *item_start;
  const int *item;
} Whole;

// Implements ListSource.give: returns the lists of a thread block, without copying them.
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
