// Arrays some of whose items are taken out, over all cores: bodies have millions. What they write is the same whatever
// the number of threads.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// to[k] = from[list[k]] for k < count, items of `size` bytes. The arrays do not overlap.
void gather_items(void *to, const void *from, const int *list, int count, size_t size);

/// The same where they are: array[k] = array[list[k]]. `scratch` has room for `count` items. NULL stays as it is.
void keep_items(void *array, const int *list, int count, size_t size, void *scratch);

/// memcpy.
void copy_bytes(void *to, const void *from, size_t bytes);

/// What the numbers below `count` are called without those of `gone` [gone_count], ascending: now [count], -1: it is
/// gone; left [count - gone_count], which one each of the new numbers was. Either may be NULL.
void number_left(const int *gone, int gone_count, int count, int *left, int *now);

/// The number that one of these has then; -1: it is gone.
int number_now(const int *gone, int gone_count, int number);

/// number[k] = now[number[k]] for k < count.
void rename_numbers(int *number, int64_t count, const int *now);

#ifdef __cplusplus
}
#endif
