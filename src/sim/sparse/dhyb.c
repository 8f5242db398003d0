// y = A x for DHYB on the CPU, the twin of dhyb.cu: it is there to check the GPU's. Row by row it strides through
// memory, so on a CPU dcsr is the format to use.
#include "base/real.h"
#include "sim/sparse/dhyb_layout.h"
#include "sim/sparse/spmv_rows.h"

static real row_product(const Matrix *A, const real *x, int row) {
  const DhybLayout *l = A->layout;
  const int64_t pitch = l->pitch;
  const real *values = A->values, *ell = values + pitch, *tail = ell + l->width * pitch;
  real sum = values[row] * x[row];
  for (int k = 0; k < l->width; k++) sum += ell[k * pitch + row] * x[l->ell_col[k * pitch + row]];
  for (int s = l->tail_start[row]; s < l->tail_start[row + 1]; s++) sum += tail[s] * x[l->tail_col[s]];
  return sum;
}

static bool spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  return spmv_rows(A, row_product, x, y, dots);
}

static bool create(Matrix *A, Error *error) {
  A->dot_count = spmv_rows_parts(A->pattern);
  return dhyb_layout_create(A, error);
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
