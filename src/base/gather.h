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

/// Renumbers items 0 to count - 1 after the items in `gone` [gone_count], ascending, are removed. `now` [count] gets
/// the new number of each item, -1 if it is removed. `left` [count - gone_count] gets the old number of each remaining
/// item. For example, without item 1 of 0 1 2, `now` is 0 -1 1 and `left` is 0 2. `left` or `now` may be NULL.
void number_left(const int *gone, int gone_count, int count, int *left, int *now);

/// Returns the new number of item `number` after the items in `gone` [gone_count], ascending, are removed; -1 if it is
/// one of them.
int number_now(const int *gone, int gone_count, int number);

/// Replaces old numbers of items by new ones: number[k] = now[number[k]] for k < count, with `now` from number_left.
void rename_numbers(int *number, int64_t count, const int *now);

#ifdef __cplusplus
}
#endif
