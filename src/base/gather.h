// Removes items from arrays, on all cores, since bodies have millions of items. Results do not depend on the number of
// threads.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// to[k] = from[list[k]] for k < count, items of `size` bytes. The arrays must not overlap.
void gather_items(void *to, const void *from, const int *list, int count, size_t size);

/// In place: array[k] = array[list[k]]. `scratch` has capacity for `count` items. A NULL array is skipped.
void keep_items(void *array, const int *list, int count, size_t size, void *scratch);

/// Copies bytes on all cores.
void copy_bytes(void *to, const void *from, size_t bytes);

/// Renumbers items 0 to count - 1 after the items `gone` [gone_count], ascending, are removed. now [count]: new number
/// of each item, -1 if it is removed. left [count - gone_count]: old number of each remaining item. For example, if
/// item 1 of 0 1 2 is removed, `now` is 0 -1 1 and `left` is 0 2. `left` or `now` may be NULL.
void number_left(const int *gone, int gone_count, int count, int *left, int *now);

/// New number of item `number` after the items `gone` [gone_count], ascending, are removed; -1 if it is one of them.
int number_now(const int *gone, int gone_count, int number);

/// number[k] = now[number[k]] for k < count.
void rename_numbers(int *number, int64_t count, const int *now);

#ifdef __cplusplus
}
#endif
