// y = A x for DCSR on the GPU, the twin of dcsr.c (same slots). Eight lanes a row: a row of a tet mesh has some 40
// entries, so each lane takes five and a warp serves four rows. Lanes add up in a fixed tree: a run repeats bit for bit.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/sparse/dcsr_layout.h"

enum { BLOCK = 256, LANES = 8 };

// row_start [n + 1], col [row_start[n]], values [n + row_start[n]], x and y [n]
static __global__ void spmv_kernel(int n, const int *__restrict__ row_start, const int *__restrict__ col,
                                   const real *__restrict__ values, const real *__restrict__ x, real *__restrict__ y) {
  const int row = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  const bool inside = row < n;  // nobody leaves: the shuffles below stay full
  real sum = inside && lane == 0 ? values[row] * x[row] : (real)0;
  if (inside)
    for (int s = row_start[row] + lane; s < row_start[row + 1]; s += LANES) sum += values[n + s] * x[col[s]];
  for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
}

static bool spmv(const Matrix *A, const void *x, void *y, Stream stream, Error *error) {
  const DcsrLayout *l = (const DcsrLayout *)A->layout;
  const int n = A->pattern->n, rows = BLOCK / LANES;
  spmv_kernel<<<(n + rows - 1) / rows, BLOCK, 0, (cudaStream_t)stream.handle>>>(
      n, l->row_start, l->col, (const real *)A->values, (const real *)x, (real *)y);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const MatrixFormat REAL_NAME(dcsr_cuda);
const MatrixFormat REAL_NAME(dcsr_cuda) = {
  "dcsr",
  "compressed sparse rows, diagonal first",
  DEVICE_CUDA,
  sizeof(real) == sizeof(float) ? PRECISION_F32 : PRECISION_F64,
  dcsr_layout_create,
  dcsr_layout_destroy,
  spmv,
};
}
