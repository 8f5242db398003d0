// Many short lists of numbers, packed so that the threads of a thread block read them fast (paper 000, Figs. 16.3 and
// 16.6). A list has items and one other number, its head. There are two kinds of lists:
//   reduction array   the items name numbers to be summed; the head, after them, names the target of the sum
//   scatter array     the head, before the items, names a number to be copied; the items are the targets
//
// In memory, item i is stored as i + 1 > 0, the head of list h as -h - 1 < 0, and padding as 0. Each of these stored
// numbers is called an entry. Example: list 2 of a reduction array has the items 5 and 9. Padded to 4 entries, it is
// stored as 6 10 0 -3.
//
// Each list is read by one thread, which loads `batch` entries at a time. So each list is padded to a multiple of
// `batch` entries. The head is the first or the last of these entries. Longer lists are assigned before shorter ones,
// each to the thread with the least work so far (the rule LPT, longest processing time first; Graham, 1969).
//
// Thread t reads entries[start + t], entries[start + t + threads], and so on: its column. Neighbouring threads then
// read neighbouring entries, so the loads are coalesced.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// The packed lists of all thread blocks. A zeroed PackedLists is empty.
typedef struct PackedLists {
  int block_count;  // number of thread blocks for which lists are packed
  int64_t *start;   // [block_count + 1], index in `entries` of the first entry of each thread block
  int *entries;     // [start[block_count]], the entries of all thread blocks: items, heads and padding
} PackedLists;

// Position of a list's head, its one number that is not an item. HEAD_LAST: after the items, as in a reduction array.
// HEAD_FIRST: before the items, as in a scatter array.
typedef enum ListHead { HEAD_LAST, HEAD_FIRST } ListHead;

// The lists of one thread block before packing. List l has the items item[start[l]] to item[start[l + 1] - 1].
typedef struct BlockLists {
  int count;             // number of lists of the thread block
  const int64_t *start;  // [count + 1], index in `item` of each list's first item
  const int *item;       // the items of all lists, one list after the other
} BlockLists;

// Source of the lists that are packed: a function `give` that returns the lists of one thread block. The function is
// called twice for each thread block: first to measure the lists, then to write them. Both calls must return equal
// lists. Several threads of the CPU call it at the same time, each with a separate buffer of capacity_bytes as work
// memory.
typedef struct ListSource {
  BlockLists (*give)(const void *context, int block, void *buffer);
  const void *context;  // first argument of the calls of `give`
  int lists_max;        // upper bound of the number of lists of a block
  // bytes of work memory, a multiple of 8; it is zeroed before its first use
  size_t capacity_bytes;
} ListSource;

/// Pack lists in two steps. First, packed_lists_measure computes `start`, the index of each thread block's first entry.
/// Then packed_lists_fill writes the entries; it must be called with the same `source`. threads: number of threads of a
/// thread block, at most 1024. batch: number of entries that a thread loads together. Empty lists are left out. The
/// caller may call packed_lists_destroy after a failure too.
bool packed_lists_measure(PackedLists *packed, int block_count, const ListSource *source, int threads, int batch,
                          Error *error);
bool packed_lists_fill(PackedLists *packed, const ListSource *source, int threads, int batch, ListHead head,
                       Error *error);

/// Packs lists that are already in memory. The items of list l are item[item_start[l]] to item[item_start[l + 1] - 1].
/// Thread block b has the lists block_list[b] to block_list[b + 1] - 1.
bool packed_lists_create(PackedLists *packed, int block_count, const int *block_list, const int64_t *item_start,
                         const int *item, int threads, int batch, ListHead head, Error *error);
void packed_lists_destroy(PackedLists *packed);

#ifdef __cplusplus
}
#endif
