// Memory for arrays: sizes checked for overflow, zeroed, and an error that says what for.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// [count] elements of `size` bytes, all zero; free() releases them. `what` names them in the message. NULL on failure;
/// a count of zero gives a valid pointer.
void *array_new(int64_t count, size_t size, const char *what, Error *error);

/// The same without zeros, for what is written whole: of large arrays each core then touches its own part first.
void *array_room(int64_t count, size_t size, const char *what, Error *error);

/// Grows *items, which has room for *capacity elements of `size` bytes, to hold at least `needed`. The new part is not
/// initialised. On failure *items is as it was.
bool array_reserve(void **items, int64_t *capacity, int64_t needed, size_t size, const char *what, Error *error);

/// Makes room in *items, of `size` bytes each, for `count` in place of `before` or fewer; new ones are zero. On failure
/// *items is as it was.
bool array_grow(void *items, int64_t before, int64_t count, size_t size, const char *what, Error *error);

#ifdef __cplusplus
}
#endif
