// y = A x for DCSR on the CPU: one row after the other, rows shared among the cores.
#include "base/real.h"
#include "sim/sparse/dcsr_layout.h"
#include "sim/sparse/spmv_rows.h"

static real row_product(const Matrix *A, const real *x, int row) {
  const DcsrLayout *l = A->layout;
  const real *values = A->values, *others = values + A->pattern->n;
  real sum = values[row] * x[row];
  for (int s = l->row_start[row]; s < l->row_start[row + 1]; s++) sum += others[s] * x[l->col[s]];
  return sum;
}

static bool spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  return spmv_rows(A, row_product, x, y, dots);
}

static bool create(Matrix *A, Error *error) {
  A->dot_count = spmv_rows_parts(A->pattern);
  return dcsr_layout_create(A, error);
}

extern const MatrixFormat REAL_NAME(dcsr_cpu);
const MatrixFormat REAL_NAME(dcsr_cpu) = {
  .name = "dcsr",
  .summary = "compressed sparse rows, diagonal first",
  .device = DEVICE_CPU,
  .precision = sizeof(real) == sizeof(float) ? PRECISION_F32 : PRECISION_F64,
  .create = create,
  .destroy_layout = dcsr_layout_destroy,
  .spmv = spmv,
};
