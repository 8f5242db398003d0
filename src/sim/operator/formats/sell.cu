// Computes y = A x for the format SELL (sliced ELLPACK with blocks) on the GPU (CUDA version of sell.c). A "row" here
// is the row of blocks of one node, and a slice is 32 such rows. SHARERS warps process a slice together, and each
// thread of a warp processes one row. Warp w multiplies the blocks w, w + SHARERS, w + 2 SHARERS, ... of its rows by x.
// So a body of some ten thousand nodes has enough warps to fill the GPU. The sums of the warps are added in shared
// memory in a fixed order.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/formats/block_layout.h"

namespace sell_operator {

// SLICE: rows of blocks per slice, one for each thread of a warp. SHARERS: warps that process a slice together. SLICES:
// slices per thread block.
enum { SLICE = SELL_SLICE, SHARERS = 4, SLICES = APPLY_BLOCK / SLICE / SHARERS };

// Computes y = A x [nodes * DOF]. `values` [slice][its width][DOF rows][DOF columns][SLICE]: a slice is SLICE rows of
// blocks, and its width the length of its longest row in blocks. `l` has the index arrays. dots gets a partial sum of
// x.y per thread block, or is NULL.
template <int DOF>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int slices, BlockLayout l, const real *__restrict__ values, const real *__restrict__ x,
                 real *__restrict__ y, double *__restrict__ dots) {
  enum { SIZE = DOF * DOF };
  __shared__ real shares[SLICES][SHARERS][DOF][SLICE];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, mine = warp / SHARERS, sharer = warp % SHARERS;
  const int slice = blockIdx.x * SLICES + mine;

  // No thread returns early, because every thread must reach the barrier below.
  const int node = slice < slices ? l.node[slice * SLICE + lane] : -1;
  const int *__restrict__ column = l.column;
  real sum[DOF] = {};
  if (node >= 0) {
    const int first = l.start[slice], last = first + l.length[node];
#pragma unroll 2
    for (int group = first + sharer; group < last; group += SHARERS) {
      const int other = column[group * SLICE + lane] * DOF;
      const real *__restrict__ block = values + group * SIZE * SLICE + lane;
#pragma unroll
      for (int i = 0; i < DOF; i++)
#pragma unroll
        for (int k = 0; k < DOF; k++) sum[i] += block[(i * DOF + k) * SLICE] * x[other + k];
    }
  }
#pragma unroll
  for (int i = 0; i < DOF; i++) shares[mine][sharer][i][lane] = sum[i];
  __syncthreads();
  double dot = 0;
  if (sharer == 0 && node >= 0)
#pragma unroll
    for (int i = 0; i < DOF; i++) {
#pragma unroll
      for (int s = 1; s < SHARERS; s++) sum[i] += shares[mine][s][i][lane];
      y[node * DOF + i] = sum[i];
      dot += (double)x[node * DOF + i] * sum[i];
    }
  apply_dot(dot, dots);
}

extern "C" {
extern const OperatorMethod REAL_NAME(sell_cpu), REAL_NAME(sell_cuda);
}

static int slice_count(const Operator *A) {
  return A->space->node_count / SLICE + (A->space->node_count % SLICE > 0);
}

static bool create(Operator *A, Error *error) {
  return REAL_NAME(sell_cpu).create(A, error);
}

static int count_dots(const Operator *A) {
  return slice_count(A) / SLICES + (slice_count(A) % SLICES > 0);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const auto kernel = BY_NODE_DOF(A->space->node_dof, apply_kernel);
  kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      slice_count(A), *(const BlockLayout *)A->layout, (const real *)A->values, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(sell_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod REAL_NAME(sell_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "sell",
             .summary = "block SELL-C-sigma: slices of rows that are sorted by length",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};

}  // namespace sell_operator
