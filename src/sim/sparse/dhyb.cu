// y = A x for DHYB on the GPU. Four lanes a row, laid out so that eight neighbouring rows of one ELL column are read by
// neighbouring threads: every 32-byte sector is used whole, and the hand's 86,385 rows give enough threads to hide
// the latency that one thread a row would not. Bound by memory: slots * (sizeof(real) + 4) bytes; x comes from L2.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/sparse/dhyb_layout.h"

enum { BLOCK = 256, LANES = 4, WARP_ROWS = 32 / LANES };

// ell_col [width][pitch], tail_start [n + 1], values [pitch (1 + width) + tail], x and y [n]
static __global__ void spmv_kernel(int n, int pitch, int width, const int *__restrict__ ell_col,
                                   const int *__restrict__ tail_start, const int *__restrict__ tail_col,
                                   const real *__restrict__ values, const real *__restrict__ x, real *__restrict__ y) {
  const int warp = (blockIdx.x * BLOCK + threadIdx.x) / 32;
  const int row = warp * WARP_ROWS + threadIdx.x % WARP_ROWS, lane = threadIdx.x % 32 / WARP_ROWS;
  const bool inside = row < n;  // nobody leaves: the shuffles below stay full
  real sum = 0;
  if (inside) {
    const real *ell = values + pitch, *tail = ell + (size_t)width * pitch;
    if (lane == 0) sum = values[row] * x[row];
#pragma unroll 4
    for (int k = lane; k < width; k += LANES) {
      const size_t at = (size_t)k * pitch + row;
      sum += ell[at] * x[ell_col[at]];
    }
    for (int s = tail_start[row] + lane; s < tail_start[row + 1]; s += LANES) sum += tail[s] * x[tail_col[s]];
  }
  // the lanes of a row stand WARP_ROWS threads apart
  for (int step = WARP_ROWS; step < 32; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
}

static bool spmv(const Matrix *A, const void *x, void *y, Stream stream, Error *error) {
  const DhybLayout *l = (const DhybLayout *)A->layout;
  const int n = A->pattern->n, rows = BLOCK / LANES;
  spmv_kernel<<<(n + rows - 1) / rows, BLOCK, 0, (cudaStream_t)stream.handle>>>(
      n, l->pitch, l->width, l->ell_col, l->tail_start, l->tail_col, (const real *)A->values, (const real *)x, (real *)y);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const MatrixFormat REAL_NAME(dhyb_cuda);
const MatrixFormat REAL_NAME(dhyb_cuda) = {
  "dhyb",
  "ELL with a tail for long rows, diagonal first",
  DEVICE_CUDA,
  sizeof(real) == sizeof(float) ? PRECISION_F32 : PRECISION_F64,
  dhyb_layout_create,
  dhyb_layout_destroy,
  spmv,
};
}
