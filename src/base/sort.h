// Sorting that keeps the order of equal items and can be interrupted; qsort may do neither.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/// Sorts [count] items of `size` bytes, as qsort does, equals in their old order. Takes as much memory again. Fails for
/// lack of that, or interrupted: then the items are in no order.
bool sort_items(void *items, int64_t count, size_t size, int (*compare)(const void *, const void *), Error *error);

/// Of ints, and of doubles, ascending, for qsort and the like.
static inline int compare_ints(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
static inline int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// How many of these numbers, which ascend, are less than `number`.
static inline int count_below(const int *ascending, int count, int number) {
  int low = 0;
  while (count > 0) {
    const int half = count / 2;
    if (ascending[low + half] < number)
      low += half + 1, count -= half + 1;
    else
      count = half;
  }
  return low;
}

/// Sorts words, ascending: digit by digit, but for those that are the same in all. Takes as much memory again. Fails
/// for lack of that.
bool sort_words(uint64_t *word, int64_t count, Error *error);

/// Sorts numbers by keys: the numbers 0 to count - 1, each divided by `group`, stand in `item` by their keys, key
/// [count] in [0, key_count), and those of one key ascend. start [key_count + 1]: where each key's begin. Over all
/// cores, the same whatever their number; takes 4 bytes a key and core beside. Fails for lack of memory, or
/// interrupted.
bool sort_by_key(const int *key, int64_t count, int key_count, int group, int64_t *start, int *item, Error *error);
