// Memory for arrays: sizes are checked for overflow, memory is zeroed, and errors name the array.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Allocates [count] elements of `size` bytes, all zero, which the caller releases with free(). `what` names them in
/// the message. NULL on failure; a count of zero gives a valid pointer.
void *array_new(int64_t count, size_t size, const char *what, Error *error);

/// Allocates as array_new does, but does not zero the memory: for arrays that are overwritten completely. On a machine
/// with several memory banks, the system then places each page near the core that first writes it.
void *array_capacity(int64_t count, size_t size, const char *what, Error *error);

/// Allocates as array_capacity does, and fills the array with a copy of `from` [count].
void *array_copy(const void *from, int64_t count, size_t size, const char *what, Error *error);

/// Allocates `size` zeroed bytes for a large struct that stays mostly zero: pages of 4 KiB that are never written take
/// no memory. Released by sparse_free with the same size. NULL on failure.
void *sparse_new(size_t size, const char *what, Error *error);
void sparse_free(void *memory, size_t size);

/// Copies `size` bytes, and writes only blocks of 4 KiB that differ, so that memory of sparse_new stays sparse.
void sparse_copy(void *to, const void *from, size_t size);

/// Enlarges *items, with capacity for *capacity elements of `size` bytes, to hold at least `needed`. The new part is
/// not initialised. *items is unchanged after a failure.
bool array_reserve(void **items, int64_t *capacity, int64_t needed, size_t size, const char *what, Error *error);

/// Enlarges the array *items from `before` to `count` elements of `size` bytes, if `count` is the larger number. New
/// elements are zero. *items is unchanged after a failure.
bool array_grow(void *items, int64_t before, int64_t count, size_t size, const char *what, Error *error);

#ifdef __cplusplus
}
#endif
