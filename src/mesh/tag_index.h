// Finds nodes and cells by their tags, which are their numbers in a mesh file.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

// A tag (number in a mesh file), and the index of the node or cell that has this tag.
typedef struct TagIndex {
  int64_t tag, index;
} TagIndex;

/// Sorts items [count] by tag; items with equal tags keep their order. Fails if memory runs out, or on an interrupt.
bool tag_index_sort(TagIndex *items, int64_t count, Error *error);

/// Returns an array of `count` elements, sorted by tag: each has an element of `tags` and its index in `tags`. Elements
/// with equal tags keep their order. Returns NULL on failure. The caller frees the array.
TagIndex *tag_index_new(const int64_t *tags, int64_t count, Error *error);

/// Returns the smallest k with items[k].tag >= tag, or `count` if there is none. items [count] must be sorted.
int64_t tag_index_from(const TagIndex *items, int64_t count, int64_t tag);

/// Returns the member `index` of the first item with this tag; -1: no item has it. items [count] must be sorted.
int64_t tag_index_find(const TagIndex *items, int64_t count, int64_t tag);
