// Computes y = A x on the GPU for the format LCSR, the lower triangle by rows (lcsr_layout.h); the CUDA version of
// lcsr.c. LANES = 8 threads together compute one element of y. They add the products of the row's stored entries, then
// those of its entries above the diagonal, which are stored at the transposed positions. The order of sums is fixed, so
// every run gives equal bits.
#include "base/real.h"
#include "device/cuda_try.h"
#include "lab/lower/lcsr_layout.h"
#include "sim/operator/formats/apply.cuh"

namespace lcsr_operator {

enum { LANES = 8, ROWS = APPLY_BLOCK / LANES, BATCH = 2 };

// Computes y = A x for x and y [n]. Row i has the stored entries row_start[i] to row_start[i + 1] - 1 of `col` and
// `values`. mirror[mirror_start[i]] to mirror[mirror_start[i + 1] - 1] locate the entries of row i above the diagonal.
// dots [thread blocks] gets each thread block's part of x . y; NULL: not computed.
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int n, const int *__restrict__ row_start, const int *__restrict__ col,
                 const int *__restrict__ mirror_start, const LcsrMirror *__restrict__ mirror,
                 const real *__restrict__ values, const real *__restrict__ x, real *__restrict__ y,
                 double *__restrict__ dots) {
  const int row = blockIdx.x * ROWS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const bool inside = row < n;  // no thread returns early: the shuffles below need full warps
  const real own = inside ? x[row] : (real)0;
  real sum = 0;
  if (inside) {
    sum = apply_run<LANES>(row_start[row] + lane, row_start[row + 1], col, values, x);
    for (int m = mirror_start[row] + lane; m < mirror_start[row + 1]; m += BATCH * LANES) {
      LcsrMirror at[BATCH];
#pragma unroll
      for (int k = 0; k < BATCH; k++) {
        at[k].slot = -1;
        if (m + k * LANES < mirror_start[row + 1]) at[k] = mirror[m + k * LANES];
      }
#pragma unroll
      for (int k = 0; k < BATCH; k++)
        if (at[k].slot >= 0) sum += values[at[k].slot] * x[at[k].row];
    }
  }

  for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
  apply_dot(lane == 0 ? (double)own * sum : 0, dots);
}

static int count_dots(const Operator *A) {
  return (A->n + ROWS - 1) / ROWS;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const LcsrLayout *l = (const LcsrLayout *)A->layout;
  apply_kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->n, l->row_start, l->col, l->mirror_start, l->mirror, (const real *)A->values, (const real *)x, (real *)y,
      dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const OperatorMethod REAL_NAME(lcsr_cuda);
const OperatorMethod REAL_NAME(lcsr_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "lcsr",
             .summary = "compressed sparse rows of the lower triangle only",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = lcsr_bytes },
  .create = lcsr_layout_create,
  .destroy_layout = lcsr_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
  .half = true,
};
}

}  // namespace lcsr_operator
