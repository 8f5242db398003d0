// y = A x for DHYB on the CPU, the twin of dhyb.cu: it is there to check the GPU's. Row by row it strides through
// memory, so on a CPU dcsr is the format to use.
#include "base/real.h"
#include "sim/sparse/dhyb_layout.h"

static bool create(Matrix *A, Error *error) {
  A->dot_count = (A->pattern->n + CPU_PART_ROWS - 1) / CPU_PART_ROWS;
  return dhyb_layout_create(A, error);
}

static bool spmv(const Matrix *A, const void *x_, void *y_, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  const DhybLayout *l = A->layout;
  const int n = A->pattern->n;
  const int64_t pitch = l->pitch;
  const real *values = A->values, *ell = values + pitch, *tail = ell + l->width * pitch, *x = x_;
  real *y = y_;
#pragma omp parallel for schedule(static)
  for (int part = 0; part < A->dot_count; part++) {
    const int last = (part + 1) * CPU_PART_ROWS < n ? (part + 1) * CPU_PART_ROWS : n;
    double dot = 0;
    for (int i = part * CPU_PART_ROWS; i < last; i++) {
      real sum = values[i] * x[i];
      for (int k = 0; k < l->width; k++) sum += ell[k * pitch + i] * x[l->ell_col[k * pitch + i]];
      for (int s = l->tail_start[i]; s < l->tail_start[i + 1]; s++) sum += tail[s] * x[l->tail_col[s]];
      y[i] = sum;
      dot += (double)x[i] * sum;
    }
    if (dots) dots[part] = dot;
  }
  return true;
}

extern const MatrixFormat REAL_NAME(dhyb_cpu);
const MatrixFormat REAL_NAME(dhyb_cpu) = {
  .name = "dhyb",
  .summary = "ELL with a tail for long rows, diagonal first",
  .device = DEVICE_CPU,
  .precision = sizeof(real) == sizeof(float) ? PRECISION_F32 : PRECISION_F64,
  .create = create,
  .destroy_layout = dhyb_layout_destroy,
  .spmv = spmv,
};
