// Computes y = A x for COO and DCOO on the GPU. These formats store row, column and value of each entry, sorted by row;
// DCOO stores the diagonal before the other entries. A thread block processes a tile of TILE consecutive entries. A row
// may continue from one tile to the next. The carry of a tile is its sum for a row that began in an earlier tile. Sums
// have a fixed order without atomics (segmented sum; Blelloch, Heroux and Zagha, 1993). Four kernels run one after the
// other:
//
//   start   y = D x for DCOO, where D is the diagonal; y = 0 for COO
//   tiles   adds each tile's sums to the rows that begin in the tile, and writes its carry to carry[tile]
//   carries adds the carries of each row that spans several tiles, with one thread per such row
//   dots    partial sums of x.y, if requested
#include <stdlib.h>

#include <vector>

#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/coo_layout.h"
#include "sim/operator/formats/apply.cuh"

namespace coo_operator {

// ITEMS: consecutive entries per thread. TILE: entries per thread block. PAD: distance in shared memory from the first
// entry of one thread to that of the next thread. It is odd, so that the threads of a warp use different memory banks.
enum { ITEMS = 8, TILE = APPLY_BLOCK * ITEMS, PAD = ITEMS + 1 };

static __global__ void __launch_bounds__(APPLY_BLOCK)
    start_kernel(int n, const real *__restrict__ diagonal, const real *__restrict__ x, real *__restrict__ y) {
  const int i = blockIdx.x * APPLY_BLOCK + threadIdx.x;
  if (i < n) y[i] = diagonal ? diagonal[i] * x[i] : (real)0;
}

// Partial sum of a range of consecutive entries, each multiplied by x. `sum` adds only the entries that belong to the
// last row of the range. `began` is true if a row begins within the range. Example: in the range of the entries 5, 6
// and 7, entries 5 and 6 end row 3, and entry 7 begins row 4. Then `began` is true, and `sum` is the product of entry
// 7.
typedef struct Open {
  real sum;
  bool began;
} Open;

// Returns the partial sum of two consecutive ranges together, `left` and then `right`.
static __device__ Open join(const Open &left, const Open &right) {
  const Open both = { right.began ? right.sum : left.sum + right.sum, left.began || right.began };
  return both;
}

// Returns the value of `open` in another thread of the warp, the one whose number is smaller by `lanes`.
static __device__ Open lanes_before(const Open &open, int lanes) {
  const Open other = { __shfl_up_sync(0xffffffff, open.sum, lanes),
                       (bool)__shfl_up_sync(0xffffffff, (int)open.began, lanes) };
  return other;
}

// Returns the partial sum of the entries of all threads before this one. `open` is the partial sum of this thread's
// entries. *all gets the partial sum of the whole thread block. Sums are added in a fixed order, as by CUB's BlockScan.
// CUB's headers would double the compile time of all formats.
static __device__ Open scan_before(const Open &open, Open *all) {
  enum { LANES = 32, WARPS = APPLY_BLOCK / LANES };
  __shared__ Open of_warp[WARPS];
  const int lane = threadIdx.x % LANES, own_warp = threadIdx.x / LANES;

  // partial sum of the entries of all lanes of the warp from lane 0 to this one
  Open sum = open;
  for (int step = 1; step < LANES; step *= 2) {
    const Open left = lanes_before(sum, step);
    if (lane >= step) sum = join(left, sum);
  }
  if (lane == LANES - 1) of_warp[own_warp] = sum;
  __syncthreads();

  Open before = { 0, false };
  *all = of_warp[0];
  for (int warp = 1; warp < WARPS; warp++) {
    if (warp == own_warp) before = *all;
    *all = join(*all, of_warp[warp]);
  }
  const Open preceding = lanes_before(sum, 1);
  return lane > 0 ? join(before, preceding) : before;
}

// Multiplies the entries of one tile by x, and adds the products of each row to y. A tile is the TILE consecutive
// entries of one thread block. row, col and values are [count], for all tiles. carry[tile] gets the tile's sum for a
// row that began in an earlier tile.
static __global__ void __launch_bounds__(APPLY_BLOCK)
    tile_kernel(int count, const int *__restrict__ row, const int *__restrict__ col, const real *__restrict__ values,
                const real *__restrict__ x, real *__restrict__ y, real *__restrict__ carry) {
  __shared__ real product[APPLY_BLOCK * PAD];
  __shared__ int row_of[APPLY_BLOCK * PAD];
  const int tile = blockIdx.x, first = tile * TILE, thread = threadIdx.x;
  for (int k = thread; k < TILE; k += APPLY_BLOCK) {
    const int s = first + k, at = k / ITEMS * PAD + k % ITEMS;
    product[at] = s < count ? values[s] * x[col[s]] : (real)0;
    row_of[at] = row[min(s, count - 1)];
  }

  const int last_row = row[min(first + TILE, count) - 1];
  __syncthreads();

  // Row of the entry that precedes this thread's first entry; -1 if there is none.
  int previous = -1;
  if (thread > 0)
    previous = row_of[(thread - 1) * PAD + ITEMS - 1];
  else if (tile > 0)
    previous = row[first - 1];
  const real *own = product + thread * PAD;
  const int *own_row = row_of + thread * PAD;
  Open open = { 0, false };
  for (int k = 0, before = previous; k < ITEMS; before = own_row[k++]) {
    if (own_row[k] != before) {
      open.sum = 0;
      open.began = true;
    }
    open.sum += own[k];
  }

  Open all;
  Open state = scan_before(open, &all);

  // Go through the thread's entries a second time, now to write y. Begin with `state`, the sum of the row that the
  // preceding threads left incomplete. When an entry begins a new row, the sum of the row before it is complete.
  for (int k = 0, before = previous; k < ITEMS; before = own_row[k++]) {
    if (own_row[k] != before) {
      if (state.began)
        y[before] += state.sum;
      else if (before >= 0)
        carry[tile] = state.sum;
      state.sum = 0;
      state.began = true;
    }
    state.sum += own[k];
  }

  if (thread != APPLY_BLOCK - 1) return;
  if (all.began)
    y[last_row] += state.sum;
  else
    carry[tile] = state.sum;
}

// Adds the carries to the rows that span several tiles. carry[tile] is the sum of a tile (TILE consecutive entries) for
// row crossing[tile], which began in an earlier tile. crossing[tile] is -1 if the tile begins with a new row.
static __global__ void __launch_bounds__(APPLY_BLOCK)
    carry_kernel(int tiles, const int *__restrict__ crossing, const real *__restrict__ carry, real *__restrict__ y) {
  int tile = blockIdx.x * APPLY_BLOCK + threadIdx.x;
  if (tile >= tiles || crossing[tile] < 0 || (tile > 0 && crossing[tile - 1] == crossing[tile])) return;
  const int row = crossing[tile];
  real sum = y[row];
  for (; tile < tiles && crossing[tile] == row; tile++) sum += carry[tile];
  y[row] = sum;
}

static __global__ void __launch_bounds__(APPLY_BLOCK)
    dot_kernel(int n, const real *__restrict__ x, const real *__restrict__ y, double *__restrict__ dots) {
  const int i = blockIdx.x * APPLY_BLOCK + threadIdx.x;
  apply_dot(i < n ? (double)x[i] * y[i] : 0, dots);
}

static int count_dots(const Operator *A) {
  return (A->n + APPLY_BLOCK - 1) / APPLY_BLOCK;
}

static bool create(Operator *A, Error *error) {
  int *row = NULL;
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

static bool apply(const Operator *A, const void *x_, void *y_, double *dots, Stream stream, Error *error) {
  const CooLayout *l = (const CooLayout *)A->layout;
  const int n = A->n, blocks = A->dot_count, tiles = l->group_count;
  const real *values = (const real *)A->values, *x = (const real *)x_;
  real *y = (real *)y_, *carry = (real *)l->carry;
  cudaStream_t s = (cudaStream_t)stream.handle;
  start_kernel<<<blocks, APPLY_BLOCK, 0, s>>>(n, A->method->diagonal_first ? values : NULL, x, y);
  CUDA_TRY(cudaGetLastError());
  if (tiles > 0) {
    tile_kernel<<<tiles, APPLY_BLOCK, 0, s>>>(l->count, l->row, l->col, values + operator_diagonal_slots(A), x, y,
                                              carry);
    CUDA_TRY(cudaGetLastError());
    carry_kernel<<<(tiles + APPLY_BLOCK - 1) / APPLY_BLOCK, APPLY_BLOCK, 0, s>>>(tiles, l->group, carry, y);
    CUDA_TRY(cudaGetLastError());
  }
  if (dots) {
    dot_kernel<<<blocks, APPLY_BLOCK, 0, s>>>(n, x, y, dots);
    CUDA_TRY(cudaGetLastError());
  }
  return true;
}

extern "C" {
extern const OperatorMethod REAL_NAME(coo_cuda), REAL_NAME(dcoo_cuda);
const OperatorMethod REAL_NAME(coo_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "coo",
             .summary = "coordinates: row, column and value per entry",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = coo_bytes },
  .create = create,
  .destroy_layout = coo_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
const OperatorMethod REAL_NAME(dcoo_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dcoo",
             .summary = "coordinates: row, column and value per entry, with all diagonal entries stored first",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = coo_bytes },
  .diagonal_first = true,
  .create = create,
  .destroy_layout = coo_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
}

}  // namespace coo_operator
