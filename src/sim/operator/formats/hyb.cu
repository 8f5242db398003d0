// Computes y = A x for the matrix formats HYB and DHYB on the GPU, with the arrays of hyb_layout.h. A group is the
// values of one row for one neighbour node. Several threads, called lanes, process a row together: of 4 lanes, lane 0
// multiplies the groups 0, 4, 8, ... by x. So even a body of only some ten thousand nodes gives enough threads to hide
// the latency of memory. Neighbouring threads read neighbouring rows, so memory sectors of 32 bytes are read
// completely. With one unknown per node, a row has a single lane if rows are short, or if there are enough rows to
// occupy all threads of the GPU.
//
// If rows have a single lane and the matrix does not fit into the L2 cache, values are loaded with a hint to evict them
// first, so that vectors stay in the cache. Lanes skip the zeros that pad short rows. Memory bandwidth limits the
// product, which reads nnz * (sizeof(real) + 4 / block^2) bytes; nnz is the number of entries, and block the number of
// unknowns per node.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/hyb_layout.h"
#include "sim/operator/formats/apply.cuh"

#ifndef HYB_LANES
#define HYB_LANES 4
#endif
#ifndef HYB_BATCH
#define HYB_BATCH 2
#endif

namespace hyb_operator {

// LANES_USUAL: threads that process a row together. BATCH_USUAL: groups that each of these threads loads before it
// multiplies; a group is the values of one row for one neighbour node. SHORT: groups that a thread loads at once if it
// processes a row alone.
enum { LANES_USUAL = HYB_LANES, BATCH_USUAL = HYB_BATCH, SHORT = 8 };

// Returns one thread's contribution to the product of a row with x. A group is BLOCK values of the row for one
// neighbour node, `stride` apart in memory. Group g begins at values[g * group_step] and belongs to the node column(g).
// The thread processes the groups `first`, first + LANES, first + 2 LANES, ... that are less than `last`. It loads the
// columns and values of BATCH groups before it loads x for them, so that these loads overlap.
template <int BLOCK, int LANES, int BATCH, bool STREAMS, typename Column>
static __device__ __forceinline__ real run_groups(int first, int last, const real *__restrict__ values, int group_step,
                                                  int stride, const real *__restrict__ x, const Column &column) {
  real sum = 0;
  for (int g = first; g < last; g += BATCH * LANES) {
    int c[BATCH];
    real v[BATCH][BLOCK];
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
      const bool inside = g + b * LANES < last;
      c[b] = inside ? column(g + b * LANES) : -1;
#pragma unroll
      for (int k = 0; k < BLOCK; k++)
        v[b][k] = inside ? apply_once<STREAMS>(&values[(g + b * LANES) * group_step + k * stride]) : (real)0;
    }
#pragma unroll
    for (int b = 0; b < BATCH; b++)
#pragma unroll
      for (int k = 0; k < BLOCK; k++)
        if (c[b] >= 0) sum += v[b][k] * x[c[b] * BLOCK + k];
  }
  return sum;
}

// Computes y = A x [n] with BLOCK unknowns per node and LANES threads per row. BATCH: groups (values of a row for one
// neighbour) that a thread loads at once. STREAMS: true if values are loaded with a hint to evict them first from the
// L2 cache. dots gets a partial sum of x.y per thread block, or is NULL.
template <int BLOCK, int LANES, int BATCH, bool STREAMS>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(HybLayout l, const real *__restrict__ values, const real *__restrict__ x, real *__restrict__ y,
                 double *__restrict__ dots) {
  enum { WARP_ROWS = 32 / LANES, ROWS = APPLY_BLOCK / LANES };
  static_assert(LANES >= BLOCK, "each entry of a row of the diagonal block needs a lane");
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32 / WARP_ROWS;
  const int row_index = blockIdx.x * ROWS + warp * WARP_ROWS + threadIdx.x % WARP_ROWS;
  const int position = row_index / BLOCK, r = row_index % BLOCK;
  const bool inside = position < l.nodes;  // no thread returns early: the shuffles below need full warps
  const int *__restrict__ ell_col = l.ell_col;
  const int *__restrict__ tail_col = l.tail_col;
  real sum = 0, at_row = 0;
  int row = 0;
  if (inside) {
    const int length = apply_once<STREAMS>(l.length + position), in_ell = min(length, l.width);
    const int node = apply_once<STREAMS>(l.node + position);
    const real *diagonal = values + l.diagonal,
               *ell = diagonal + l.others * l.pitch;  // hyb_layout.c has checked that these indices fit an int
    row = node * BLOCK + r;
    at_row = x[row];
    if (l.diagonal && lane == 0) sum = apply_once<STREAMS>(values + row) * at_row;
    if (lane > 0 && lane <= l.others)
      sum = diagonal[(lane - 1) * l.pitch + row_index] * x[node * BLOCK + (lane - 1 < r ? lane - 1 : lane)];
    enum { SLICE_ROWS = HYB_SLICE * BLOCK };
    const int slice_groups = position / HYB_SLICE * l.width, column = slice_groups * HYB_SLICE + position % HYB_SLICE;
    sum += run_groups<BLOCK, LANES, BATCH, STREAMS>(
        lane, in_ell, ell + slice_groups * BLOCK * SLICE_ROWS + row_index % SLICE_ROWS, BLOCK * SLICE_ROWS, SLICE_ROWS,
        x, [=](int g) { return apply_once<STREAMS>(&ell_col[column + g * HYB_SLICE]); });
    if (length > l.width) {
      const int first = l.tail_start[position], in_tail = length - l.width;
      const real *tail = ell + (l.width * l.pitch + BLOCK * first + r * in_tail) * BLOCK;
      sum += run_groups<BLOCK, LANES, BATCH, STREAMS>(lane, in_tail, tail, BLOCK, 1, x,
                                                      [=](int g) { return tail_col[first + g]; });
    }
  }

  // Add the sums of the threads of each row. In the warp, these threads are WARP_ROWS threads apart.
  for (int step = WARP_ROWS; step < 32; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
  apply_dot(lane == 0 ? (double)at_row * sum : 0, dots);
}

// Returns true if one thread processes each row. This needs one unknown per node. In addition, rows must be short, or
// numerous enough to occupy all threads of the GPU.
static bool takes_a_lane(const HybLayout *l) {
  return l->block == 1 && (l->width <= SHORT || l->nodes >= device_resident_threads(DEVICE_CUDA));
}

static bool create(Operator *A, Error *error) {
  if (!operator_check_dof(A, error) || !hyb_layout_create(A, error)) return false;
  return apply_streams(A, &((HybLayout *)A->layout)->streams, error);
}

static int count_dots(const Operator *A) {
  const int rows = takes_a_lane((const HybLayout *)A->layout) ? APPLY_BLOCK : APPLY_BLOCK / LANES_USUAL;
  return A->n / rows + (A->n % rows > 0);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const HybLayout *l = (const HybLayout *)A->layout;
  const auto kernel = l->block == 3      ? apply_kernel<3, LANES_USUAL, BATCH_USUAL, false>
                      : l->block == 2    ? apply_kernel<2, LANES_USUAL, BATCH_USUAL, false>
                      : !takes_a_lane(l) ? apply_kernel<1, LANES_USUAL, BATCH_USUAL, false>
                      : l->streams       ? apply_kernel<1, 1, SHORT, true>
                                         : apply_kernel<1, 1, SHORT, false>;
  kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(*l, (const real *)A->values, (const real *)x,
                                                                        (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const OperatorMethod REAL_NAME(hyb_cuda), REAL_NAME(dhyb_cuda);
const OperatorMethod REAL_NAME(hyb_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "hyb",
             .summary = "ELLPACK: rows are padded to one length; further entries of longer rows are in a separate list",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = hyb_bytes },
  .create = create,
  .destroy_layout = hyb_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
const OperatorMethod REAL_NAME(dhyb_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dhyb",
             .summary = "as hyb, with all diagonal entries stored first",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .preferred = true,
             .bytes = hyb_bytes },
  .diagonal_first = true,
  .create = create,
  .destroy_layout = hyb_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
}

}  // namespace hyb_operator
