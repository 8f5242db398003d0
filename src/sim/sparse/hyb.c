// y = A x for HYB and DHYB on the CPU, the twin of hyb.cu: it is there to check the GPU's. Row by row it strides
// through memory, so on a CPU csr and dcsr are the formats to use.
#include "base/real.h"
#include "sim/sparse/hyb_layout.h"
#include "sim/sparse/spmv_rows.h"

// places, not rows, are dealt to the cores: a window's rows stand within it
static bool spmv(const Matrix *A, const void *x_, void *y_, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  const HybLayout *l = A->layout;
  const int64_t pitch = l->pitch;
  const real *values = A->values, *ell = values + l->diagonal, *tail = ell + l->width * pitch, *x = x_;
  real *y = y_;
#pragma omp parallel for schedule(static)
  for (int part = 0; part < A->dot_count; part++) {
    double dot = 0;
    for (int place = part * PART_ROWS; place < spmv_part_end(A->pattern, part); place++) {
      const int row = l->row[place], length = l->length[place], first = l->tail_start[place];
      const int in_ell = length < l->width ? length : l->width;
      real sum = l->diagonal ? values[row] * x[row] : 0;
      for (int k = 0; k < in_ell; k++) sum += ell[k * pitch + place] * x[l->ell_col[k * pitch + place]];
      for (int s = first; s < first + length - in_ell; s++) sum += tail[s] * x[l->tail_col[s]];
      y[row] = sum;
      dot += (double)x[row] * sum;
    }
    if (dots) dots[part] = dot;
  }
  return true;
}

static bool create(Matrix *A, Error *error) {
  A->dot_count = spmv_rows_parts(A->pattern);
  return hyb_layout_create(A, error);
}

extern const MatrixFormat REAL_NAME(hyb_cpu), REAL_NAME(dhyb_cpu);
const MatrixFormat REAL_NAME(hyb_cpu) = {
  .name = "hyb",
  .summary = "ELL with a tail for long rows",
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .create = create,
  .destroy_layout = hyb_layout_destroy,
  .spmv = spmv,
};
const MatrixFormat REAL_NAME(dhyb_cpu) = {
  .name = "dhyb",
  .summary = "ELL with a tail for long rows, diagonal first",
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .diagonal_first = true,
  .create = create,
  .destroy_layout = hyb_layout_destroy,
  .spmv = spmv,
};
