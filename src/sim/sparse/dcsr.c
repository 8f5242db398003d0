// y = A x for DCSR on the CPU: one row after the other, rows shared among the cores.
#include "base/real.h"
#include "sim/sparse/dcsr_layout.h"

static bool create(Matrix *A, Error *error) {
  A->dot_count = (A->pattern->n + CPU_PART_ROWS - 1) / CPU_PART_ROWS;
  return dcsr_layout_create(A, error);
}

static bool spmv(const Matrix *A, const void *x_, void *y_, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  const DcsrLayout *l = A->layout;
  const int n = A->pattern->n;
  const real *values = A->values, *others = values + n, *x = x_;
  real *y = y_;
#pragma omp parallel for schedule(static)
  for (int part = 0; part < A->dot_count; part++) {
    const int last = (part + 1) * CPU_PART_ROWS < n ? (part + 1) * CPU_PART_ROWS : n;
    double dot = 0;
    for (int i = part * CPU_PART_ROWS; i < last; i++) {
      real sum = values[i] * x[i];
      for (int s = l->row_start[i]; s < l->row_start[i + 1]; s++) sum += others[s] * x[l->col[s]];
      y[i] = sum;
      dot += (double)x[i] * sum;
    }
    if (dots) dots[part] = dot;
  }
  return true;
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
