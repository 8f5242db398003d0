// y = A x for CSR and DCSR on the CPU: one row after the other, rows shared among the cores.
#include "base/parallel.h"
#include "base/real.h"
#include "sim/sparse/csr_layout.h"
#include "sim/sparse/spmv_rows.h"

static real row_product(const Matrix *A, const real *x, int row) {
  const CsrLayout *l = A->layout;
  const int first = matrix_diagonal_slots(A);
  const real *values = A->values, *others = values + first;
  real sum = first ? values[row] * x[row] : 0;
  for (int s = l->row_start[row]; s < l->row_start[row + 1]; s++) sum += others[s] * x[l->col[s]];
  return sum;
}

static void spmv_part(const void *product, int first, int last) {
  const SpmvProduct *p = product;
  double dot = 0;
  for (int i = first; i < last; i++) {
    p->y[i] = row_product(p->A, p->x, i);
    dot += (double)p->x[i] * p->y[i];
  }
  if (p->dots) p->dots[first / PART_ROWS] = dot;
}

static bool spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(A->pattern->n, PART_ROWS, spmv_part, &(SpmvProduct){ A, x, y, dots });
  return true;
}

static bool create(Matrix *A, Error *error) {
  A->dot_count = spmv_rows_parts(A->pattern);
  return csr_layout_create(A, error);
}

extern const MatrixFormat REAL_NAME(csr_cpu), REAL_NAME(dcsr_cpu);
const MatrixFormat REAL_NAME(csr_cpu) = {
  .name = "csr",
  .summary = "compressed sparse rows",
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .create = create,
  .destroy_layout = csr_layout_destroy,
  .spmv = spmv,
};
const MatrixFormat REAL_NAME(dcsr_cpu) = {
  .name = "dcsr",
  .summary = "compressed sparse rows, diagonal first",
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .diagonal_first = true,
  .create = create,
  .destroy_layout = csr_layout_destroy,
  .spmv = spmv,
};
