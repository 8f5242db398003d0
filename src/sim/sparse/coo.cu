// y = A x for COO and DCOO on the GPU: a segmented sum over entries sorted by rows (Blelloch, Heroux and Zagha, 1993),
// without atomics, so that a run repeats bit for bit. Four kernels:
//   start   y = D x, or zero
//   tiles   a block takes TILE entries; the row that begins in a tile is added to by that tile alone, and what a tile
//           adds to the row that was open before it goes to carry[tile]
//   carries one thread for each row that crosses tiles adds its carries up in their order
//   dots    x.y, where asked for
#include <stdlib.h>

#include <vector>

#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/sparse/coo_layout.h"
#include "sim/sparse/spmv.cuh"

enum { ITEMS = 8, TILE = SPMV_BLOCK * ITEMS, PAD = ITEMS + 1 };  // a thread's items; padded against bank conflicts

static __global__ void __launch_bounds__(SPMV_BLOCK)
    start_kernel(int n, const real *__restrict__ diagonal, const real *__restrict__ x, real *__restrict__ y) {
  const int i = blockIdx.x * SPMV_BLOCK + threadIdx.x;
  if (i < n) y[i] = diagonal ? diagonal[i] * x[i] : (real)0;
}

// A run of entries as a segmented sum sees it: the sum since the last row began in it, and whether one did.
typedef struct Open {
  real sum;
  bool began;
} Open;

static __device__ Open join(Open left, Open right) {
  Open both = { right.began ? right.sum : left.sum + right.sum, left.began || right.began };
  return both;
}

static __device__ Open shuffle_up(Open open, int step) {
  Open other = { __shfl_up_sync(0xffffffff, open.sum, step), (bool)__shfl_up_sync(0xffffffff, (int)open.began, step) };
  return other;
}

// joins what all threads before this one leave open, in a fixed tree; `all` gets the whole block's
static __device__ Open scan_before(Open open, Open *all) {
  __shared__ real warp_sum[SPMV_BLOCK / 32];
  __shared__ bool warp_began[SPMV_BLOCK / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int step = 1; step < 32; step *= 2) {
    const Open left = shuffle_up(open, step);
    if (lane >= step) open = join(left, open);
  }
  if (lane == 31) warp_sum[warp] = open.sum, warp_began[warp] = open.began;
  __syncthreads();
  Open before = { 0, false };
  Open total = { 0, false };
  for (int w = 0; w < SPMV_BLOCK / 32; w++) {
    if (w == warp) before = total;
    const Open next = { warp_sum[w], warp_began[w] };
    total = join(total, next);
  }
  *all = total;
  const Open left = shuffle_up(open, 1);
  return lane == 0 ? before : join(before, left);
}

// row and col [count], values of the entries, carry [tiles]
static __global__ void __launch_bounds__(SPMV_BLOCK)
    tile_kernel(int count, const int *__restrict__ row, const int *__restrict__ col, const real *__restrict__ values,
                const real *__restrict__ x, real *__restrict__ y, real *__restrict__ carry) {
  __shared__ real product[SPMV_BLOCK * PAD];
  __shared__ int row_of[SPMV_BLOCK * PAD];
  const int tile = blockIdx.x, first = tile * TILE, thread = threadIdx.x;
  for (int k = thread; k < TILE; k += SPMV_BLOCK) {
    const int s = first + k, at = k / ITEMS * PAD + k % ITEMS;
    product[at] = s < count ? values[s] * x[col[s]] : (real)0;
    row_of[at] = row[min(s, count - 1)];
  }
  const int last_row = row[min(first + TILE, count) - 1];
  __syncthreads();

  // the row of the entry before this thread's; before the first tile there is none
  int previous = -1;
  if (thread > 0)
    previous = row_of[(thread - 1) * PAD + ITEMS - 1];
  else if (tile > 0)
    previous = row[first - 1];
  const real *own = product + thread * PAD;
  const int *own_row = row_of + thread * PAD;
  Open open = { 0, false };
  for (int k = 0, before = previous; k < ITEMS; before = own_row[k++]) {
    if (own_row[k] != before) open.sum = 0, open.began = true;
    open.sum += own[k];
  }
  Open all;
  Open state = scan_before(open, &all);
  // again, now that what stood open before is known: where a row begins, the one before it is complete
  for (int k = 0, before = previous; k < ITEMS; before = own_row[k++]) {
    if (own_row[k] != before) {
      if (state.began)
        y[before] += state.sum;
      else if (before >= 0)
        carry[tile] = state.sum;
      state.sum = 0, state.began = true;
    }
    state.sum += own[k];
  }
  if (thread != SPMV_BLOCK - 1) return;
  if (all.began)
    y[last_row] += state.sum;
  else
    carry[tile] = state.sum;
}

// crossing [tiles]: the row that was open before each tile, or -1 where the tile begins with a row
static __global__ void __launch_bounds__(SPMV_BLOCK)
    carry_kernel(int tiles, const int *__restrict__ crossing, const real *__restrict__ carry, real *__restrict__ y) {
  int tile = blockIdx.x * SPMV_BLOCK + threadIdx.x;
  if (tile >= tiles || crossing[tile] < 0 || (tile > 0 && crossing[tile - 1] == crossing[tile])) return;
  const int row = crossing[tile];
  real sum = y[row];
  for (; tile < tiles && crossing[tile] == row; tile++) sum += carry[tile];
  y[row] = sum;
}

static __global__ void __launch_bounds__(SPMV_BLOCK)
    dot_kernel(int n, const real *__restrict__ x, const real *__restrict__ y, double *__restrict__ dots) {
  const int i = blockIdx.x * SPMV_BLOCK + threadIdx.x;
  spmv_dot(i < n ? (double)x[i] * y[i] : 0, dots);
}

static bool create(Matrix *A, Error *error) {
  int *row = NULL;
  A->dot_count = (A->pattern->n + SPMV_BLOCK - 1) / SPMV_BLOCK;
  if (!coo_layout_create(A, &row, error)) return false;
  CooLayout *l = (CooLayout *)A->layout;
  l->group_count = (l->count + TILE - 1) / TILE;
  std::vector<int> crossing((size_t)l->group_count, -1);
  for (int tile = 1; tile < l->group_count; tile++)
    if (row[tile * TILE] == row[tile * TILE - 1]) crossing[tile] = row[tile * TILE];
  free(row);
  l->group = (int *)device_clone(DEVICE_CUDA, crossing.data(), sizeof(int) * crossing.size(), error);
  l->carry = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)l->group_count, error);
  return l->group && l->carry;
}

static bool spmv(const Matrix *A, const void *x_, void *y_, double *dots, Stream stream, Error *error) {
  const CooLayout *l = (const CooLayout *)A->layout;
  const int n = A->pattern->n, blocks = A->dot_count, tiles = l->group_count;
  const real *values = (const real *)A->values, *x = (const real *)x_;
  real *y = (real *)y_, *carry = (real *)l->carry;
  cudaStream_t s = (cudaStream_t)stream.handle;
  start_kernel<<<blocks, SPMV_BLOCK, 0, s>>>(n, A->format->diagonal_first ? values : NULL, x, y);
  CUDA_TRY(cudaGetLastError());
  if (tiles > 0) {
    tile_kernel<<<tiles, SPMV_BLOCK, 0, s>>>(l->count, l->row, l->col, values + matrix_diagonal_slots(A), x, y, carry);
    CUDA_TRY(cudaGetLastError());
    carry_kernel<<<(tiles + SPMV_BLOCK - 1) / SPMV_BLOCK, SPMV_BLOCK, 0, s>>>(tiles, l->group, carry, y);
    CUDA_TRY(cudaGetLastError());
  }
  if (dots) {
    dot_kernel<<<blocks, SPMV_BLOCK, 0, s>>>(n, x, y, dots);
    CUDA_TRY(cudaGetLastError());
  }
  return true;
}

extern "C" {
extern const MatrixFormat REAL_NAME(coo_cuda), REAL_NAME(dcoo_cuda);
const MatrixFormat REAL_NAME(coo_cuda) = {
  "coo", "row, column and value of each entry", DEVICE_CUDA, REAL_PRECISION, false, create, coo_layout_destroy, spmv,
};
const MatrixFormat REAL_NAME(dcoo_cuda) = {
  "dcoo",
  "row, column and value of each entry, diagonal first",
  DEVICE_CUDA,
  REAL_PRECISION,
  true,
  create,
  coo_layout_destroy,
  spmv,
};
}
