// Rows of lazy ELLPACK once cells have appended to them: entry k of a row stands at base + LAZY_SLICE k.
#pragma once
#include <stdint.h>

#include "base/real.h"
#include "device/device.h"
#include "device/host_device.h"

enum { LAZY_SLICE = 64 };  // rows of a slice, as in operator/formats/ell.c

// Where a row begins; start: of slices, in groups.
HOST_DEVICE int64_t lazy_base(const int *start, int row) {
  return (int64_t)start[row / LAZY_SLICE] * LAZY_SLICE + row % LAZY_SLICE;
}

// Sorts a row by columns, equals in their old order, and adds equals up in that. Returns its new length.
HOST_DEVICE int lazy_merge(int length, int64_t base, int *column, real *values) {
  for (int k = 1; k < length; k++) {
    const int64_t at = base + (int64_t)LAZY_SLICE * k;
    const int c = column[at];
    const real value = values[at];
    int64_t to = at;
    for (; to > base && column[to - LAZY_SLICE] > c; to -= LAZY_SLICE)
      column[to] = column[to - LAZY_SLICE], values[to] = values[to - LAZY_SLICE];
    column[to] = c, values[to] = value;
  }
  int count = 0;
  for (int k = 0; k < length; k++) {
    const int64_t at = base + (int64_t)LAZY_SLICE * k, last = base + (int64_t)LAZY_SLICE * (count - 1);
    if (count > 0 && column[last] == column[at]) {
      values[last] += values[at];
    } else {
      column[last + LAZY_SLICE] = column[at], values[last + LAZY_SLICE] = values[at];
      count++;
    }
  }
  return count;
}

// The diagonal entry of a row, to whose first part `shift` is added.
HOST_DEVICE real lazy_own(int row, int length, int64_t base, const int *column, real *values, real shift) {
  real sum = 0;
  bool first = true;
  for (int k = 0; k < length; k++) {
    const int64_t at = base + (int64_t)LAZY_SLICE * k;
    if (column[at] != row) continue;
    if (first) values[at] += shift;
    first = false;
    sum += values[at];
  }
  return sum;
}

// A matrix of such rows; arrays on its device.
typedef struct LazyRows {
  int n;
  const int *start;
  int *length, *column;
  real *values;
} LazyRows;

#ifdef __cplusplus
extern "C" {
#endif

/// lazy_merge of all rows.
bool REAL_NAME(lazy_merge_cuda)(const LazyRows *rows, Stream stream, Error *error);

/// blocks [n] = the diagonal with shift [n] added, unless that is NULL; and diagonal, unless NULL. Nothing happens
/// where `wanted` is not NULL and 0.
bool REAL_NAME(lazy_own_cuda)(const LazyRows *rows, const real *shift, real *blocks, real *diagonal, const int *wanted,
                              Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
