// Computes products y = A x on the CPU, by a parallel loop over parts. A part is a range of PART_ROWS rows: part 0 has
// the rows 0 to 1919. Each part has a separate partial sum of x.y, so results do not depend on the number of threads.
#pragma once
#include "base/parallel.h"
#include "base/real.h"
#include "sim/operator/operator.h"

// Number of rows of one part. The format HYB stores slices of 64 nodes: 64, 128 or 192 rows, with 1, 2 or 3 unknowns
// per node. A part must not end within such a slice, so its number of rows is a multiple of 64, 128 and 192.
enum { PART_ROWS = 1920 };

// Arguments of a loop over the rows for y = A x, with x and y [n]. dots [A->dot_count] gets a partial sum of x.y for
// each part; it may be NULL. The format dbcsr and those of apply_groups.h have parts of other sizes, and use only this
// struct.
typedef struct RowsProduct {
  const Operator *A;
  const real *x;
  real *y;
  double *dots;
} RowsProduct;

// apply_parts returns the number of parts, which are ranges of PART_ROWS rows. apply_part_end returns the number of the
// last row of `part` plus 1.
static inline int apply_parts(const Operator *A) {
  return A->n / PART_ROWS + (A->n % PART_ROWS > 0);
}

static inline int apply_part_end(const Operator *A, int part) {
  return A->n - part * PART_ROWS > PART_ROWS ? (part + 1) * PART_ROWS : A->n;
}

/// Implements OperatorMethod.apply: calls the function `part` once for each range [first, last) of PART_ROWS rows, in
/// parallel.
static inline bool apply_in_parts(const Operator *A, const void *x, void *y, double *dots,
                                  void (*part)(const void *product, int first, int last)) {
  parallel_for(A->n, PART_ROWS, part, &(RowsProduct){ A, x, y, dots });
  return true;
}

/// Computes y for the rows [first, last) of one part, a range of PART_ROWS rows, and the sum of x.y over these rows.
/// row_product returns one element of A x.
static inline void apply_row_by_row(const RowsProduct *p, int first, int last,
                                    real (*row_product)(const Operator *A, const real *x, int row)) {
  double dot = 0;
  for (int i = first; i < last; i++) {
    p->y[i] = row_product(p->A, p->x, i);
    dot += (double)p->x[i] * p->y[i];
  }
  if (p->dots) p->dots[first / PART_ROWS] = dot;
}
