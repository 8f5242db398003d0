// Packed lists: see packed_lists.h.
#include "sim/assembly/packed_lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { THREADS_MAX = 1024, LENGTH_MAX = 256 };

// One block's lists dealt to its threads: for each list the thread, and where in the thread's column it begins.
typedef struct Deal {
  int *order, *thread, *begin;  // [lists]
} Deal;

// a thread and how long its column is; a heap keeps the shortest column on top, ties by thread number
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

// entries of a list with its head, in whole batches
static int padded_length(int items, int batch) {
  return (items + batch) / batch * batch;
}

// deals `count` lists, the first of them `item_start[0]`; returns the longest column
static int deal_lists(const int64_t *item_start, int count, int threads, int batch, Deal *deal) {
  // longest first, by counting; lists longer than LENGTH_MAX are rare and share the first bin
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

static bool deal_create(Deal *deal, int lists, Error *error) {
  deal->order = array_new(lists, sizeof(int), "packed lists", error);
  deal->thread = array_new(lists, sizeof(int), "packed lists", error);
  deal->begin = array_new(lists, sizeof(int), "packed lists", error);
  return deal->order && deal->thread && deal->begin;
}

static void deal_destroy(Deal *deal) {
  free(deal->order);
  free(deal->thread);
  free(deal->begin);
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

bool packed_lists_create(PackedLists *packed, int block_count, const int *block_list, const int64_t *item_start,
                         const int *item, int threads, int batch, ListHead head, Error *error) {
  PackedLists made = { .block_count = block_count };
  int most = 0;
  for (int block = 0; block < block_count; block++)
    if (block_list[block + 1] - block_list[block] > most) most = block_list[block + 1] - block_list[block];
  bool ok = true;
  made.start = array_new((int64_t)block_count + 1, sizeof *made.start, "packed lists", error);
  if (!made.start) return false;
  // twice the same deal: first for the columns' lengths, then, knowing where each block begins, for its entries
  for (int pass = 0; pass < 2 && ok; pass++) {
#pragma omp parallel
    {
      Deal deal = { 0 };
      Error own = { 0 };
      const bool ready = deal_create(&deal, most, &own);
#pragma omp for schedule(static)
      for (int block = 0; block < block_count; block++) {
        if (!ready) continue;
        const int64_t *first = item_start + block_list[block];
        const int count = block_list[block + 1] - block_list[block];
        const int longest = deal_lists(first, count, threads, batch, &deal);
        if (pass == 0)
          made.start[block + 1] = (int64_t)longest * threads;
        else
          write_lists(&deal, count, first, item, threads, batch, head, made.entries + made.start[block]);
      }
      deal_destroy(&deal);
#pragma omp critical
      if (!ready) {
        ok = false;
        error_set(error, "%s", own.message);
      }
    }
    if (pass == 0 && ok) {
      for (int block = 0; block < block_count; block++) made.start[block + 1] += made.start[block];
      made.entries = array_new(made.start[block_count], sizeof *made.entries, "packed lists", error);
      ok = made.entries != NULL;
    }
  }
  if (ok)
    *packed = made;
  else
    packed_lists_destroy(&made);
  return ok;
}

void packed_lists_destroy(PackedLists *packed) {
  free(packed->start);
  free(packed->entries);
  *packed = (PackedLists){ 0 };
}
