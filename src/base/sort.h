// Sorts that keep the order of equal items and can be interrupted. The C library's qsort guarantees neither.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/// Sorts [count] items of `size` bytes as qsort does, but equal items keep their order. Needs as much memory again as
/// the items. Fails if memory runs out, or if interrupted; after an interruption the items are in no particular order.
bool sort_items(void *items, int64_t count, size_t size, int (*compare)(const void *, const void *), Error *error);

/// Comparisons of ints, and of doubles, ascending, for qsort and sort_items.
static inline int compare_ints(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return x < y ? -1 : x > y;
}
static inline int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/// Number of elements of an ascending array that are less than `number`.
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

/// Sorts 64-bit words, ascending, by radix sort; digits that are equal in all words are skipped. Needs as much memory
/// again as the words. Fails if memory runs out.
bool sort_words(uint64_t *word, int64_t count, Error *error);

/// Sorts the numbers k = 0 to count - 1 by their keys, key [count] in [0, key_count), and stores k / group in item
/// [count]. Numbers with equal keys ascend. start [key_count + 1]: index in `item` at which the numbers of each key
/// begin.
/// Example: key[4 c + i] is node i of tet c, and group is 4. Then `item` lists, for each node, its tets.
/// Runs on all cores; the result does not depend on their number. Needs 4 bytes per key and core. Fails if memory runs
/// out, or if interrupted.
bool sort_by_key(const int *key, int64_t count, int key_count, int group, int64_t *start, int *item, Error *error);
