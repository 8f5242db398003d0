// What the formats' products on the CPU share: rows in parts of fixed size, shared among the cores, and the parts' sums
// of x.y, the same whatever the number of threads.
#pragma once
#include "base/real.h"
#include "sim/sparse/matrix.h"

enum { PART_ROWS = 1920 };  // a multiple of HYB's slice of 64 nodes of one or three unknowns

// one row's sum of values times x
typedef real (*RowProduct)(const Matrix *A, const real *x, int row);

static inline int spmv_rows_parts(const Pattern *pattern) {
  return (pattern->n + PART_ROWS - 1) / PART_ROWS;
}

static inline int spmv_part_end(const Pattern *pattern, int part) {
  return (part + 1) * PART_ROWS < pattern->n ? (part + 1) * PART_ROWS : pattern->n;
}

static inline bool spmv_rows(const Matrix *A, RowProduct product, const real *x, real *y, double *dots) {
#pragma omp parallel for schedule(static)
  for (int part = 0; part < A->dot_count; part++) {
    double dot = 0;
    for (int i = part * PART_ROWS; i < spmv_part_end(A->pattern, part); i++) {
      y[i] = product(A, x, i);
      dot += (double)x[i] * y[i];
    }
    if (dots) dots[part] = dot;
  }
  return true;
}
