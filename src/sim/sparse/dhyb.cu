// y = A x for DHYB on the GPU. Four lanes a row, laid out so that eight neighbouring rows of one ELL column are read by
// neighbouring threads: every 32-byte sector is used whole, and the hand's 86,385 rows give enough threads to hide the
// latency that one thread a row would not. Bound by memory: slots * (sizeof(real) + 4) bytes; x comes from L2.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/sparse/dhyb_layout.h"
#include "sim/sparse/spmv.cuh"

#ifndef DHYB_LANES
#define DHYB_LANES 4
#endif
enum { LANES = DHYB_LANES, WARP_ROWS = 32 / LANES, ROWS = SPMV_BLOCK / LANES, BATCH = 4 };

// ell_col [width][pitch], tail_start [n + 1], values [pitch (1 + width) + tail], x and y [n], dots [blocks] or NULL
static __global__ void __launch_bounds__(SPMV_BLOCK)
    spmv_kernel(int n, int pitch, int width, const int *__restrict__ ell_col, const int *__restrict__ tail_start,
                const int *__restrict__ tail_col, const real *__restrict__ values, const real *__restrict__ x,
                real *__restrict__ y, double *__restrict__ dots) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32 / WARP_ROWS;
  const int row = blockIdx.x * ROWS + warp * WARP_ROWS + threadIdx.x % WARP_ROWS;
  const bool inside = row < n;  // nobody leaves: the shuffles below stay full
  real sum = 0, own = 0;
  if (inside) {
    const real *ell = values + pitch, *tail = ell + width * pitch;  // slots fit an int: dhyb_layout.c checks
    const int tail_first = tail_start[row] + lane, tail_last = tail_start[row + 1];
    own = x[row];
    if (lane == 0) sum = values[row] * own;
    for (int k = lane; k < width; k += BATCH * LANES) {
      int c[BATCH];
      real v[BATCH];
#pragma unroll
      for (int b = 0; b < BATCH; b++) {
        const int at = (k + b * LANES) * pitch + row;
        const bool there = k + b * LANES < width;
        c[b] = there ? ell_col[at] : row;
        v[b] = there ? ell[at] : (real)0;
      }
#pragma unroll
      for (int b = 0; b < BATCH; b++) sum += v[b] * x[c[b]];
    }
    sum += spmv_run<LANES>(tail_first, tail_last, tail_col, tail, x);
  }
  // the lanes of a row stand WARP_ROWS threads apart
  for (int step = WARP_ROWS; step < 32; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
  spmv_dot(lane == 0 ? (double)own * sum : 0, dots);
}

static bool create(Matrix *A, Error *error) {
  A->dot_count = (A->pattern->n + ROWS - 1) / ROWS;
  return dhyb_layout_create(A, error);
}

static bool spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const DhybLayout *l = (const DhybLayout *)A->layout;
  spmv_kernel<<<A->dot_count, SPMV_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->pattern->n, l->pitch, l->width, l->ell_col, l->tail_start, l->tail_col, (const real *)A->values,
      (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const MatrixFormat REAL_NAME(dhyb_cuda);
const MatrixFormat REAL_NAME(dhyb_cuda) = {
  "dhyb",      "ELL with a tail for long rows, diagonal first",
  DEVICE_CUDA, sizeof(real) == sizeof(float) ? PRECISION_F32 : PRECISION_F64,
  create,      dhyb_layout_destroy,
  spmv,
};
}
