// What the formats' products on the CPU share: rows in parts of fixed size, shared among the cores, and the parts' sums
// of x.y, the same whatever the number of threads.
#pragma once
#include "base/real.h"
#include "sim/sparse/matrix.h"

enum { PART_ROWS = 2048 };

// one row's sum of values times x
typedef real (*RowProduct)(const Matrix *A, const real *x, int row);

static inline int spmv_rows_parts(const Pattern *pattern) {
  return (pattern->n + PART_ROWS - 1) / PART_ROWS;
}

static inline bool spmv_rows(const Matrix *A, RowProduct product, const real *x, real *y, double *dots) {
  const int n = A->pattern->n;
#pragma omp parallel for schedule(static)
  for (int part = 0; part < A->dot_count; part++) {
    const int last = (part + 1) * PART_ROWS < n ? (part + 1) * PART_ROWS : n;
    double dot = 0;
    for (int i = part * PART_ROWS; i < last; i++) {
      y[i] = product(A, x, i);
      dot += (double)x[i] * y[i];
    }
    if (dots) dots[part] = dot;
  }
  return true;
}
