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

/// Renumbers the numbers below `count` after the numbers `gone` [gone_count], ascending, are removed. now [count]: new
/// number, -1: removed. left [count - gone_count]: old number of each new one. Either may be NULL.
void number_left(const int *gone, int gone_count, int count, int *left, int *now);

/// New number of `number` after this removal; -1: removed.
int number_now(const int *gone, int gone_count, int number);

/// number[k] = now[number[k]] for k < count.
void rename_numbers(int *number, int64_t count, const int *now);

#ifdef __cplusplus
}
#endif
