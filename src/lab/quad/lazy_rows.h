// Rows of the matrix format lazy ELLPACK, which is filled without a search for the position of an entry. Each cell
// appends the entries of its element matrix to the rows of its nodes, so a row may have several entries of one column,
// one from each cell. LAZY_SLICE = 64 successive rows form a slice, whose entries are interleaved: entry k of row r is
// at index base + LAZY_SLICE * k, and entry k of row r + 1 is the next one. lazy_base computes `base`.
#pragma once
#include <stdint.h>

#include "base/real.h"
#include "device/device.h"
#include "device/host_device.h"
#include "sim/operator/formats/block_layout.h"

// number of rows of a slice; the products of the format ell, which read these rows, need this number
enum { LAZY_SLICE = BLOCK_SLICE };

// Returns the index of the first entry of `row`. start[s] counts the groups before slice s, where a group is one entry
// of each of the 64 rows of a slice. For example, with start[1] = 10 the first entry of row 65 has the index
// 10 * 64 + 1.
HOST_DEVICE int64_t lazy_base(const int *start, int row) {
  return (int64_t)start[row / LAZY_SLICE] * LAZY_SLICE + row % LAZY_SLICE;
}

// Sorts the entries of one row by columns, and replaces entries of equal columns by their sum. Entries of one column
// are summed in the order in which they were appended. `base` is the index of the row's first entry. Returns the new
// number of entries.
HOST_DEVICE int lazy_merge(int length, int64_t base, int *column, real *values) {
  for (int k = 1; k < length; k++) {
    const int64_t at = base + (int64_t)LAZY_SLICE * k;
    const int c = column[at];
    const real value = values[at];
    int64_t to = at;
    for (; to > base && column[to - LAZY_SLICE] > c; to -= LAZY_SLICE) {
      column[to] = column[to - LAZY_SLICE];
      values[to] = values[to - LAZY_SLICE];
    }
    column[to] = c;
    values[to] = value;
  }

  int count = 0;
  for (int k = 0; k < length; k++) {
    const int64_t at = base + (int64_t)LAZY_SLICE * k, last = base + (int64_t)LAZY_SLICE * (count - 1);
    if (count > 0 && column[last] == column[at]) {
      values[last] += values[at];
    } else {
      column[last + LAZY_SLICE] = column[at];
      values[last + LAZY_SLICE] = values[at];
      count++;
    }
  }
  return count;
}

// Adds `shift` to the diagonal entry of a row, and returns the diagonal of the matrix in this row. The row may have
// several entries on the diagonal, one from each cell. `shift` is added to the first one; the result is the sum of all.
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

// The n rows of a matrix in format lazy ELLPACK. length[r] is the number of entries of row r. Entry k of row r has its
// column and its value at index lazy_base(start, r) + LAZY_SLICE * k of `column` and `values`. start [slices + 1] is
// the number of groups before each slice of 64 rows; a group is one entry of each of these rows. All arrays are on the
// device of the matrix.
typedef struct LazyRows {
  int n;
  const int *start;
  int *length, *column;
  real *values;
} LazyRows;

#ifdef __cplusplus
extern "C" {
#endif

/// Completes a matrix A in a format of lazyell.c after an assembly has filled its rows. In the formats lazyell_merged
/// and lazyell_merged_atomic, sums the entries of equal columns. In the other formats, does nothing.
bool REAL_NAME(lazyell_finish)(Operator *A, Stream stream, Error *error);

/// Sorts the entries of each row by columns and sums those of equal columns, on the GPU.
bool REAL_NAME(lazy_merge_cuda)(const LazyRows *rows, Stream stream, Error *error);

/// Adds shift [n], a diagonal matrix, to a matrix on the GPU, unless `shift` is NULL. Then writes the diagonal of the
/// sum to blocks [n] and, unless `diagonal` is NULL, to diagonal [n]. Does nothing if `wanted` is not NULL and *wanted
/// is 0.
bool REAL_NAME(lazy_diagonal_cuda)(const LazyRows *rows, const real *shift, real *blocks, real *diagonal,
                                   const int *wanted, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
