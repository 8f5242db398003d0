// Sorting by merging: see sort.h.
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"

// halves are sorted, merged into `spare` and copied back; ends early once a signal has come
static void sort_part(char *items, char *spare, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  if (count < 2) return;
  const size_t half = count / 2;
  sort_part(items, spare, half, size, compare);
  sort_part(items + half * size, spare, count - half, size, compare);
  const char *left = items, *right = items + half * size, *left_end = right, *right_end = items + count * size;
  char *to = spare;
  for (; left < left_end && right < right_end && !interrupt_signal(); to += size) {
    const char **least = compare(left, right) <= 0 ? &left : &right;
    memcpy(to, *least, size);
    *least += size;
  }
  if (interrupt_signal()) return;
  // what is left of the right half is in its place already
  memcpy(to, left, (size_t)(left_end - left));
  memcpy(items, spare, (size_t)(to - spare) + (size_t)(left_end - left));
}

bool sort_items(void *items, int64_t count, size_t size, int (*compare)(const void *, const void *), Error *error) {
  char *spare = array_new(count, size, "items to sort", error);
  if (spare) sort_part(items, spare, (size_t)count, size, compare);
  free(spare);
  return spare && interrupt_check(error);
}
