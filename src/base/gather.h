// Gathers, removes and renumbers items of arrays, for example after nodes of a body are removed. The work runs on all
// cores, since bodies have millions of items. Results do not depend on the number of threads.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes to[k] = from[list[k]] for k < count, with items of `size` bytes. The arrays must not overlap.
void gather_items(void *to, const void *from, const int *list, int count, size_t size);

/// Creates an array of `count` items of `size` bytes, and stores its address in *to. Item k is a copy of from[list[k]],
/// or of from[k] if `list` is NULL. If `from` is NULL, *to becomes NULL. The message of a failure calls the items
/// `what`. The caller frees *to.
bool gather_new(void *to, const void *from, const int *list, int count, size_t size, const char *what, Error *error);

/// Keeps only the items with the indices list[0] to list[count - 1], in this order: array[k] becomes the old
/// array[list[k]]. `scratch` has memory for `count` items. Does nothing if `array` is NULL.
void keep_items(void *array, const int *list, int count, size_t size, void *scratch);

/// Copies `bytes` bytes, divided among all cores.
void copy_bytes(void *to, const void *from, size_t bytes);

/// Renumbers items 0 to count - 1 after the items in `gone` [gone_count], ascending, are removed. new_number [count]
/// gets the new number of each item, -1 if it is removed. old_number [count - gone_count] gets the old number of each
/// remaining item. For example, without item 1 of 0 1 2, new_number is 0 -1 1 and old_number is 0 2. One of the two
/// arrays may be NULL.
void renumber_remaining(const int *gone, int gone_count, int count, int *old_number, int *new_number);

/// Returns the new number of item `number` after the items in `gone` [gone_count], ascending, are removed; -1 if it is
/// one of them.
int renumbered(const int *gone, int gone_count, int number);

/// Replaces old numbers of items by new ones: number[k] = new_number[number[k]] for k < count, with new_number from
/// renumber_remaining.
void replace_numbers(int *number, int64_t count, const int *new_number);

#ifdef __cplusplus
}
#endif
