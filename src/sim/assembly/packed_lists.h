// Many short lists, packed for the threads of a thread block on a GPU (paper 000, Figs. 16.3 and 16.6). An assembly
// uses two kinds. In a reduction array, a list holds the sources that are summed into one target, which is the list's
// head. In a scatter array, the head is a source, and the list holds the targets to which it is copied.
//
// Each block has its own lists. In the packed array an item i is stored as i + 1 > 0, a head h, the number of the list
// within its block, as -h - 1 < 0, and padding as 0. The head follows the items in a reduction and precedes them in a
// scatter.
//
// A batch is the number of entries that a thread loads together. Zeros pad each list to whole batches, and the head is
// the first or the last entry of a batch, so that the threads of a warp reach their heads at the same time. Lists are
// assigned to the block's threads in the order of decreasing length, each to the thread with the least work so far
// (LPT, Graham 1969). Thread t reads entries[start + t], entries[start + t + threads], and so on, so loads of
// neighbouring threads are coalesced.
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

// Position of the head in a list: last in a reduction, first in a scatter.
typedef enum ListHead { HEAD_LAST, HEAD_FIRST } ListHead;

// The lists of one block: list l has the items item[start[l]] to item[start[l + 1] - 1].
typedef struct BlockLists {
  int count;
  const int64_t *start;
  const int *item;
} BlockLists;

// A callback `give` that produces the lists of a block. It runs twice for each block, and must return equal lists both
// times. Several blocks may be produced at the same time, each with its own work memory `buffer`.
typedef struct ListSource {
  BlockLists (*give)(const void *context, int block, void *buffer);
  const void *context;
  int lists_max;  // upper bound of the number of lists of a block
  // bytes of work memory, a multiple of 8; it is zeroed before its first use
  size_t capacity_bytes;
} ListSource;

/// Two steps of packing. packed_lists_measure computes `start`. packed_lists_fill, with the same source, writes the
/// entries. `threads` is the number of threads of a block, at most 1024, and `batch` the number of entries per batch.
/// Empty lists are left out. packed_lists_destroy may be called after any failure.
bool packed_lists_measure(PackedLists *packed, int block_count, const ListSource *source, int threads, int batch,
                          Error *error);
bool packed_lists_fill(PackedLists *packed, const ListSource *source, int threads, int batch, ListHead head,
                       Error *error);

/// Runs both steps for lists that exist already. item_start [lists + 1] and `item` hold the items of each list in
/// order; block b has the lists from block_list[b] to block_list[b + 1] - 1.
bool packed_lists_create(PackedLists *packed, int block_count, const int *block_list, const int64_t *item_start,
                         const int *item, int threads, int batch, ListHead head, Error *error);
void packed_lists_destroy(PackedLists *packed);

#ifdef __cplusplus
}
#endif
