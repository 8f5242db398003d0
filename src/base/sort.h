// Sorting functions that keep the order of equal items, unlike the C library's qsort. All but sort_words can be
// interrupted.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"

/// Sorts items [count] of `size` bytes as qsort does, but equal items keep their order. Needs additional memory for a
/// copy of the items. Fails if memory runs out or an end is requested; the items are then in no particular order.
bool sort_items(void *items, int64_t count, size_t size, int (*compare)(const void *, const void *), Error *error);

/// Comparisons for ascending order by qsort and sort_items: compare_ints for two ints, compare_doubles for two doubles.
static inline int compare_ints(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
static inline int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// Sorts values [count], ascending, and returns their median; the upper one if `count` is even. `count` is at least 1.
static inline double sort_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

/// Returns the number of elements of the array `ascending` [count] that are less than `number`.
static inline int count_below(const int *ascending, int count, int number) {
  int low = 0;
  while (count > 0) {
    const int half = count / 2;
    if (ascending[low + half] < number) {
      low += half + 1;
      count -= half + 1;
    } else
      count = half;
  }
  return low;
}

/// Sorts word [count], ascending, by radix sort, which cannot be interrupted. Needs additional memory for a copy. Fails
/// if memory runs out.
bool sort_words(uint64_t *word, int64_t count, Error *error);

/// Sorts the numbers k = 0 to count - 1 by key[k], which is from 0 to key_count - 1. Stores k / group (rounded down)
/// for each sorted number k in item [count]. Numbers with equal keys ascend. start [key_count + 1] gets the index in
/// `item` of the first number of each key.
///
/// For example, if key[4 c + i] is node i of tet c and group is 4, `item` lists the tets of each node. Runs on all
/// cores; the result does not depend on their number. Needs 4 bytes per key and core. Fails if memory runs out or an
/// end is requested.
bool sort_by_key(const int *key, int64_t count, int key_count, int group, int64_t *start, int *item, Error *error);
