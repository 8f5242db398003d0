// Marks of items, such as nodes: one byte per item, in which each bit is one kind of mark, such as "pinned". marks_next
// tests eight bytes at a time, since most items have no mark.
#pragma once
#include <stdint.h>
#include <string.h>

/// Searches mark [count] from index k on for a byte in which at least one of `bits` is set. Returns its index, or
/// `count` if there is none.
static inline int marks_next(const uint8_t *mark, int count, int k, uint8_t bits) {
  const uint64_t all = UINT64_C(0x0101010101010101) * bits;
  for (uint64_t eight; k < count; k++) {
    for (; count - k >= 8; k += 8) {
      memcpy(&eight, mark + k, sizeof eight);
      if (eight & all) break;
    }
    if (k < count && mark[k] & bits) return k;
  }
  return count;
}
