// Sorting that keeps the order of equal items and can be interrupted; qsort may do neither.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/// Sorts [count] items of `size` bytes, as qsort does, equals in their old order. Takes as much memory again. Fails for
/// lack of that, or interrupted: then the items are in no order.
bool sort_items(void *items, int64_t count, size_t size, int (*compare)(const void *, const void *), Error *error);
