// Bytes that mark some of many: those that are marked are found eight at a time, since most are not.
#pragma once
#include <stdint.h>
#include <string.h>

/// The first of mark [count], from k on, that has one of these bits; `count` where there is none.
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
