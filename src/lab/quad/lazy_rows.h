// Rows of the format lazy ELLPACK. Cells append their entries to the rows in any order, so a row may have several
// entries of one column. Entry k of a row is stored at base + LAZY_SLICE k.
#pragma once
#include <stdint.h>

#include "base/real.h"
#include "device/device.h"
#include "device/host_device.h"
#include "sim/operator/operator.h"

enum { LAZY_SLICE = 64 };  // rows of a slice, as in operator/formats/ell.c

// Returns the base of a row, which is the index of its first entry. A slice is LAZY_SLICE rows; a group is one entry of
// each row of a slice. start[k]: index of the first group of slice k.
HOST_DEVICE int64_t lazy_base(const int *start, int row) {
  return (int64_t)start[row / LAZY_SLICE] * LAZY_SLICE + row % LAZY_SLICE;
}

// Sorts a row by columns, stably, and sums the entries of equal columns in that order. Returns the new number of
// entries.
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

// Adds `shift` to a row's diagonal. The diagonal may have several entries; the first one gets the shift. Returns the
// sum of all entries on the diagonal.
HOST_DEVICE real lazy_diagonal(int row, int length, int64_t base, const int *column, real *values, real shift) {
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

// A matrix of these rows. Arrays are on its device; members are those of QuadTarget (quad_cells.h).
typedef struct LazyRows {
  int n;
  const int *start;
  int *length, *column;
  real *values;
} LazyRows;

#ifdef __cplusplus
extern "C" {
#endif

/// Completes an operator of format lazyell after an assembly has filled its rows: merges equal columns, if the format
/// does so.
bool REAL_NAME(lazyell_finish)(Operator *A, Stream stream, Error *error);

/// Runs lazy_merge on all rows.
bool REAL_NAME(lazy_merge_cuda)(const LazyRows *rows, Stream stream, Error *error);

/// Adds shift [n] to the diagonal, unless it is NULL. Then writes the diagonal to blocks [n] and, unless it is NULL, to
/// diagonal [n]. Does nothing if `wanted` is not NULL and *wanted is 0.
bool REAL_NAME(lazy_diagonal_cuda)(const LazyRows *rows, const real *shift, real *blocks, real *diagonal,
                                   const int *wanted, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
