// y = A x for HYB and DHYB on the GPU. A few lanes a row, laid out so that neighbouring rows of one ELL column are read
// by neighbouring threads: 32-byte sectors are used whole, and the hand's 86,385 rows give enough threads to hide the
// latency that one thread a row would not. Lanes stop at their row's end, so padding costs memory but no time. Bound by
// memory: nnz * (sizeof(real) + 4) bytes; x comes from L1 and L2.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/sparse/hyb_layout.h"
#include "sim/sparse/spmv.cuh"

#ifndef HYB_LANES
#define HYB_LANES 4
#endif
enum { LANES = HYB_LANES, WARP_ROWS = 32 / LANES, ROWS = SPMV_BLOCK / LANES, BATCH = 4 };

// layout arrays as in hyb_layout.h; x and y [n], dots [blocks] or NULL
static __global__ void __launch_bounds__(SPMV_BLOCK)
    spmv_kernel(int n, HybLayout l, const real *__restrict__ values, const real *__restrict__ x, real *__restrict__ y,
                double *__restrict__ dots) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32 / WARP_ROWS;
  const int place = blockIdx.x * ROWS + warp * WARP_ROWS + threadIdx.x % WARP_ROWS;
  const bool inside = place < n;  // nobody leaves: the shuffles below stay full
  const int *__restrict__ ell_col = l.ell_col;
  real sum = 0, own = 0;
  int row = 0;
  if (inside) {
    const real *ell = values + l.diagonal;  // slots fit an int: hyb_layout.c checks
    const int length = l.length[place], in_ell = min(length, l.width);
    row = l.row[place];
    for (int k = lane; k < in_ell; k += BATCH * LANES) {
      int c[BATCH];
      real v[BATCH];
#pragma unroll
      for (int b = 0; b < BATCH; b++) {
        const int at = (k + b * LANES) * l.pitch + place;
        const bool there = k + b * LANES < in_ell;
        c[b] = there ? ell_col[at] : -1;
        v[b] = there ? ell[at] : (real)0;
      }
#pragma unroll
      for (int b = 0; b < BATCH; b++)
        if (c[b] >= 0) sum += v[b] * x[c[b]];
    }
    own = x[row];
    if (lane == 0 && l.diagonal) sum += values[row] * own;
    if (length > l.width) {
      const int first = l.tail_start[place];
      sum += spmv_run<LANES>(first + lane, first + length - l.width, l.tail_col, ell + l.width * l.pitch, x);
    }
  }
  // the lanes of a row stand WARP_ROWS threads apart
  for (int step = WARP_ROWS; step < 32; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
  spmv_dot(lane == 0 ? (double)own * sum : 0, dots);
}

static bool create(Matrix *A, Error *error) {
  A->dot_count = (A->pattern->n + ROWS - 1) / ROWS;
  return hyb_layout_create(A, error);
}

static bool spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  spmv_kernel<<<A->dot_count, SPMV_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->pattern->n, *(const HybLayout *)A->layout, (const real *)A->values, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const MatrixFormat REAL_NAME(hyb_cuda), REAL_NAME(dhyb_cuda);
const MatrixFormat REAL_NAME(hyb_cuda) = {
  "hyb", "ELL with a tail for long rows", DEVICE_CUDA, REAL_PRECISION, false, create, hyb_layout_destroy, spmv,
};
const MatrixFormat REAL_NAME(dhyb_cuda) = {
  "dhyb",
  "ELL with a tail for long rows, diagonal first",
  DEVICE_CUDA,
  REAL_PRECISION,
  true,
  create,
  hyb_layout_destroy,
  spmv,
};
}
