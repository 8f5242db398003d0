// Computes y = A x on the GPU for the format Bin-BCSR*; the CUDA version of binbcsr.c, which creates the arrays. A bin
// is 32 rows of blocks, whose numbers are interleaved. A thread block of SHARERS = 4 warps processes a bin. Lane l of
// each warp works on row l of the bin, so loads of values are contiguous. Warp w takes the blocks w, w + 4, w + 8 and
// so on of each row. With one warp per bin, a mesh of ten thousand nodes would have too few warps to hide the latency
// of memory. The sums of the four warps are added in shared memory in a fixed order.
//
// Bins need different times, because their rows differ in length. So if there are more bins than thread blocks fit on
// the GPU, each thread block gets its next bin from a global counter (in paper 004, Listing 1, each warp does). The
// last thread block that ends resets the counter to 0. The result for a bin does not depend on the thread block that
// takes it.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/formats/block_layout.h"

namespace binbcsr_operator {

enum { BIN = 32, SHARERS = 4, THREADS = BIN * SHARERS, BLOCKS_RESIDENT = 2048 / THREADS };

// Computes y = A x, with x and y [nodes * DOF]. A bin is 32 rows of blocks. `l` has the starts, lengths and columns of
// rows. values [groups][DOF][DOF][BIN] has the blocks outside the diagonal (binbcsr.c), and diagonal [nodes][DOF][DOF]
// the diagonal blocks. dots [bins] gets the part of x . y in each bin; NULL: it is not computed.
template <int DOF>
static __global__ void __launch_bounds__(THREADS)
    apply_kernel(int nodes, int bins, BlockLayout l, const real *__restrict__ values, const real *__restrict__ diagonal,
                 const real *__restrict__ x, real *__restrict__ y, double *__restrict__ dots) {
  enum { SIZE = DOF * DOF };
  __shared__ real shares[SHARERS][DOF][BIN];
  __shared__ int next;
  const int sharer = threadIdx.x / BIN, lane = threadIdx.x % BIN;
  const bool counts = bins > (int)gridDim.x;
  const int *__restrict__ column = l.column;
  for (int bin = blockIdx.x; bin < bins;) {
    const int row = bin * BIN + lane;

    // no thread returns early, because all threads of a block must reach __syncthreads
    const int node = row >= nodes ? -1 : l.node ? l.node[row] : row;
    real sum[DOF] = {};
    if (node >= 0) {
      const int first = l.start[bin], last = first + l.length[node] - 1;
#pragma unroll 2
      for (int group = first + sharer; group < last; group += SHARERS) {
        const int other = column[(size_t)group * BIN + lane] * DOF;
        const real *__restrict__ block = values + (size_t)group * SIZE * BIN + lane;
#pragma unroll
        for (int i = 0; i < DOF; i++)
#pragma unroll
          for (int k = 0; k < DOF; k++) sum[i] += block[(i * DOF + k) * BIN] * x[other + k];
      }
    }
#pragma unroll
    for (int i = 0; i < DOF; i++) shares[sharer][i][lane] = sum[i];
    if (threadIdx.x == 0) next = counts ? (int)gridDim.x + atomicAdd(l.counter, 1) : bins;
    __syncthreads();
    if (sharer == 0) {
      double dot = 0;
      if (node >= 0) {
        const real *__restrict__ diagonal_block = diagonal + (size_t)node * SIZE;
#pragma unroll
        for (int i = 0; i < DOF; i++) {
#pragma unroll
          for (int s = 1; s < SHARERS; s++) sum[i] += shares[s][i][lane];
#pragma unroll
          for (int k = 0; k < DOF; k++) sum[i] += diagonal_block[i * DOF + k] * x[node * DOF + k];
          y[node * DOF + i] = sum[i];
          dot += (double)x[node * DOF + i] * sum[i];
        }
      }
      if (dots) {
        for (int step = 16; step > 0; step /= 2) dot += __shfl_xor_sync(0xffffffff, dot, step);
        if (lane == 0) dots[bin] = dot;
      }
    }
    bin = next;
    __syncthreads();
  }

  if (!counts || threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(l.counter + 1, 1) == (int)gridDim.x - 1) l.counter[0] = l.counter[1] = 0;
}

extern "C" {
extern const OperatorMethod REAL_NAME(binbcsr_cpu), REAL_NAME(binbcsr_sorted_cpu);
extern const OperatorMethod REAL_NAME(binbcsr_cuda), REAL_NAME(binbcsr_sorted_cuda);
}

static int bin_count(const Operator *A) {
  return A->space->node_count / BIN + (A->space->node_count % BIN > 0);
}

static bool create_counters(Operator *A, Error *error) {
  BlockLayout *layout = (BlockLayout *)A->layout;
  layout->counter = (int *)device_alloc(DEVICE_CUDA, 2 * sizeof *layout->counter, error);
  return layout->counter;
}

static bool create(Operator *A, Error *error) {
  return REAL_NAME(binbcsr_cpu).create(A, error) && create_counters(A, error);
}

static bool create_sorted(Operator *A, Error *error) {
  return REAL_NAME(binbcsr_sorted_cpu).create(A, error) && create_counters(A, error);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const int size = A->space->node_dof * A->space->node_dof;
  const auto kernel = BY_NODE_DOF(A->space->node_dof, apply_kernel);
  const real *diagonal = (const real *)A->values + A->value_count - (int64_t)A->space->node_count * size;
  const int bins = bin_count(A), resident = BLOCKS_RESIDENT * device_multiprocessors(DEVICE_CUDA);
  const int blocks = bins < resident ? bins : resident;
  kernel<<<blocks, THREADS, 0, (cudaStream_t)stream.handle>>>(A->space->node_count, bins,
                                                              *(const BlockLayout *)A->layout, (const real *)A->values,
                                                              diagonal, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(binbcsr_cpu).stage.bytes(stage, size);
}

static StageBytes sorted_bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(binbcsr_sorted_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod REAL_NAME(binbcsr_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "binbcsr",
             .summary = "rows of blocks in groups (bins) of 32 rows, with diagonal blocks stored separately",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = bin_count,
};
extern "C" const OperatorMethod REAL_NAME(binbcsr_sorted_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "binbcsr_sorted",
             .summary = "as matrix \"binbcsr\", with all rows sorted by length",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = sorted_bytes },
  .create = create_sorted,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = bin_count,
};

}  // namespace binbcsr_operator
