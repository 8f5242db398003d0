// Short lists packed for the threads of a block (paper 000, Figs. 16.3 and 16.6). In the reduction array a list holds
// the sources that are summed into one target; in the scatter array it holds the targets of one source.
//
// Each block has its own lists. A list has a head, its number within the block (-(number) - 1 < 0), and items (item + 1
// > 0). The head follows the items in a reduction and precedes them in a scatter. A batch is the number of entries that
// a thread loads together. Zeros pad each list to whole batches, with the head as the first or last entry of a batch,
// so that the threads of a warp reach their heads together. Lists are assigned to the block's threads, longest first,
// each to the least loaded thread (LPT, Graham 1969). Thread t reads entries[start + t], entries[start + t + threads],
// ...: loads of neighbouring threads are coalesced.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PackedLists {
  int block_count;
  int64_t *start;  // [block_count + 1], into entries
  int *entries;    // [start[block_count]]
} PackedLists;

typedef enum ListHead { HEAD_LAST, HEAD_FIRST } ListHead;

// The lists of one block: list l has the items item[start[l]] to item[start[l + 1] - 1].
typedef struct BlockLists {
  int count;
  const int64_t *start;
  const int *item;
} BlockLists;

// Callback that produces the lists of a block. It runs twice for each block, and must return equal lists both times.
// Several blocks may be produced at once, each with its own scratch memory.
typedef struct ListSource {
  BlockLists (*give)(const void *context, int block, void *buffer);
  const void *context;
  int lists_max;          // upper bound for one block
  size_t capacity_bytes;  // bytes of scratch memory, zeroed before its first use; a multiple of 8
} ListSource;

/// Packing has two steps: the first computes the start of each block's entries; the second, with the same source,
/// writes the entries. At most 1024 threads. Empty lists are left out. After any failure packed_lists_destroy may be
/// called.
bool packed_lists_measure(PackedLists *packed, int block_count, const ListSource *source, int threads, int batch,
                          Error *error);
bool packed_lists_fill(PackedLists *packed, const ListSource *source, int threads, int batch, ListHead head,
                       Error *error);

/// Runs both steps for existing lists: `item_start` [lists + 1] and `item` hold the items of each list in order; block
/// b has the lists [block_list[b], block_list[b + 1]).
bool packed_lists_create(PackedLists *packed, int block_count, const int *block_list, const int64_t *item_start,
                         const int *item, int threads, int batch, ListHead head, Error *error);
void packed_lists_destroy(PackedLists *packed);

#ifdef __cplusplus
}
#endif
