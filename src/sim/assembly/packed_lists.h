// Short lists packed for the threads of a block (paper 000, Figs. 16.3 and 16.6): the reduction array, whose lists are
// the sources that add up to one target, and the scatter array, whose lists are the targets of one source.
//
// A block owns some lists. Each has a head, its number within the block (-(number) - 1 < 0), and items (item + 1 > 0);
// the head stands behind the items of a reduction and in front of them in a scatter. A list is padded with 0 to whole
// batches, as many entries as a thread loads together, with its head first or last of them: then the threads of a warp
// come to their heads together. Lists are dealt to the block's threads, longest first, each to the least loaded thread
// (LPT, Graham 1969). Thread t reads entries[start + t], entries[start + t + threads], ...: neighbouring threads,
// neighbouring entries.
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

// One block's lists: list l has the items item[start[l]] to item[start[l + 1] - 1].
typedef struct BlockLists {
  int count;
  const int64_t *start;
  const int *item;
} BlockLists;

// Who gives each block's lists, when they are packed: twice, and the same both times. Several blocks may be asked for
// at once, each with a room of its own.
typedef struct ListSource {
  BlockLists (*give)(const void *context, int block, void *room);
  const void *context;
  int lists_most;     // of one block
  size_t room_bytes;  // of one room, zeroed at the beginning; a multiple of 8
} ListSource;

/// Two halves: first where each block's entries begin, then, with the same source, the entries. At most 1024 threads.
/// Lists without items are left out. Whatever fails, packed_lists_destroy may follow.
bool packed_lists_measure(PackedLists *packed, int block_count, const ListSource *source, int threads, int batch,
                          Error *error);
bool packed_lists_fill(PackedLists *packed, const ListSource *source, int threads, int batch, ListHead head,
                       Error *error);

/// Both, for lists that exist: `item_start` [lists + 1] and `item` give each in its order; block b owns lists
/// [block_list[b], block_list[b + 1]).
bool packed_lists_create(PackedLists *packed, int block_count, const int *block_list, const int64_t *item_start,
                         const int *item, int threads, int batch, ListHead head, Error *error);
void packed_lists_destroy(PackedLists *packed);

#ifdef __cplusplus
}
#endif
