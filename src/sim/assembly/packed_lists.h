// Many short lists, packed for the threads of a thread block on a GPU (paper 000, Figs. 16.3 and 16.6). A list consists
// of items and one head. An assembly uses two kinds. In a reduction array, the items are sources, whose values are
// summed, and the head is the target that gets the sum; it follows the items. In a scatter array, the head is a source,
// which is copied to the items; it precedes them.
//
// Each thread block has its own lists, numbered from 0. An item i is stored as i + 1 > 0, the head of list h as -h - 1
// < 0, and padding as 0. Example: list 2 of a reduction with the items 5 and 9, in batches of 4, is stored as 6 10 0
// -3.
//
// A batch is the number of entries that a thread loads together. Each list is padded to whole batches, and its head is
// the first or the last entry of a batch, so that the threads of a warp reach their heads at the same time. Lists are
// assigned to the block's threads in the order of decreasing length, each to the thread with the least work so far
// (LPT, Graham 1969). Thread t reads entries[start + t], entries[start + t + threads], and so on. In each of these
// steps, neighbouring threads read neighbouring entries, so loads are coalesced.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PackedLists {
  int block_count;
  int64_t *start;  // [block_count + 1], offsets into `entries`
  int *entries;    // [start[block_count]]
} PackedLists;

// Position of the head in a list: after the items in a reduction array, before them in a scatter array.
typedef enum ListHead { HEAD_LAST, HEAD_FIRST } ListHead;

// The lists of one thread block: list l has the items item[start[l]] to item[start[l + 1] - 1].
typedef struct BlockLists {
  int count;
  const int64_t *start;
  const int *item;
} BlockLists;

// A callback `give`, which returns the lists of one thread block. It is called twice for each block, to measure and
// then to write the lists, and must return equal lists both times. Several threads may call it at the same time, each
// with its own work memory `buffer`.
typedef struct ListSource {
  BlockLists (*give)(const void *context, int block, void *buffer);
  const void *context;
  int lists_max;  // upper bound of the number of lists of a block
  // bytes of work memory, a multiple of 8; it is zeroed before its first use
  size_t capacity_bytes;
} ListSource;

/// Two steps of packing. packed_lists_measure computes `start`. packed_lists_fill, with the same source, writes the
/// entries. `threads` is the number of threads of a block, at most 1024, and `batch` the number of entries that a
/// thread loads together. Empty lists are left out. packed_lists_destroy may be called after any failure.
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
