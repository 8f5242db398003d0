// What the formats' products on the CPU share: rows in parts of fixed size, shared among the cores, and the parts' sums
// of x.y, the same whatever the number of threads.
#pragma once
#include "base/parallel.h"
#include "base/real.h"
#include "sim/sparse/matrix.h"

enum { PART_ROWS = 1920 };  // a multiple of HYB's slice of 64 nodes of one or three unknowns

// y = A x, and dots unless NULL: what a loop over the rows works on
typedef struct SpmvProduct {
  const Matrix *A;
  const real *x;
  real *y;
  double *dots;
} SpmvProduct;

static inline int spmv_rows_parts(const Pattern *pattern) {
  return (pattern->n + PART_ROWS - 1) / PART_ROWS;
}

static inline int spmv_part_end(const Pattern *pattern, int part) {
  return (part + 1) * PART_ROWS < pattern->n ? (part + 1) * PART_ROWS : pattern->n;
}
