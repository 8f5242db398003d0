// Memory for arrays. Sizes are checked for overflow, and the message of a failure names the array.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Allocates `count` zeroed elements of `size` bytes, which the caller releases by free(). The message of a failure
/// calls them `what`. Returns NULL on failure; a count of 0 gives a valid pointer.
void *array_new(int64_t count, size_t size, const char *what, Error *error);

/// Allocates an array, as array_new does, but does not zero it; for arrays that are overwritten completely. On a NUMA
/// machine, the system then places each page in the memory near the core that first writes it.
void *array_capacity(int64_t count, size_t size, const char *what, Error *error);

/// Allocates an array, as array_new does, and fills it with a copy of the `count` elements at `from`.
void *array_copy(const void *from, int64_t count, size_t size, const char *what, Error *error);

/// Allocates `size` zeroed bytes for a large struct that stays mostly zero: pages of 4 KiB that are never written take
/// no memory. sparse_free with the same size releases it. Returns NULL on failure.
void *sparse_new(size_t size, const char *what, Error *error);
void sparse_free(void *memory, size_t size);

/// Copies `size` bytes from one struct to another; sparse_new has allocated both. Compares blocks of 4 KiB and writes
/// only blocks that differ. So a page of `to` that was never written, and stays zero, still takes no memory.
void sparse_copy(void *to, const void *from, size_t size);

/// Enlarges the array *items if its capacity is less than `needed` elements of `size` bytes. *capacity, a number of
/// elements, is read and updated; it at least doubles. New elements are not initialised. After a failure *items is
/// unchanged.
bool array_reserve(void **items, int64_t *capacity, int64_t needed, size_t size, const char *what, Error *error);

/// Enlarges the array *items from `before` to `count` elements of `size` bytes; new elements are zero. Does nothing if
/// `count` is not larger. After a failure *items is unchanged.
bool array_grow(void *items, int64_t before, int64_t count, size_t size, const char *what, Error *error);

#ifdef __cplusplus
}
#endif
