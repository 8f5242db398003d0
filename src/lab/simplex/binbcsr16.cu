// Computes y = A x on the GPU for the format Bin-BCSR; the CUDA version of binbcsr16.c, which creates the arrays. A bin
// is 16 rows of unknowns, whose numbers are interleaved. Each thread computes one row, so half a warp computes a bin,
// and loads of values are contiguous within a bin. A thread block computes BINS successive bins.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/formats/block_layout.h"

namespace binbcsr16_operator {

enum { BIN = 16, BINS = APPLY_BLOCK / BIN };

// Computes y = A x, with x and y [nodes * DOF]. `l` has the starts, lengths and columns of rows. values [groups][DOF]
// [BIN] (binbcsr16.c). dots gets a partial sum of x . y per thread block, or is NULL.
template <int DOF>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int nodes, BlockLayout l, const real *__restrict__ values, const real *__restrict__ x,
                 real *__restrict__ y, double *__restrict__ dots) {
  enum { NODES = BIN / DOF };  // nodes of a bin
  const int bin = blockIdx.x * BINS + threadIdx.x / BIN, lane = threadIdx.x % BIN;
  const int node = bin * NODES + lane / DOF;
  const int *__restrict__ column = l.column;
  double dot = 0;

  // No thread returns early, because all threads of a block must reach apply_dot.
  if (lane < NODES * DOF && node < nodes) {
    const int first = l.start[bin], last = first + l.length[node], row = node * DOF + lane % DOF;
    real sum = 0;
#pragma unroll 4
    for (int group = first; group < last; group++) {
      const int other = column[(size_t)group * BIN + lane];
      const real *__restrict__ piece = values + (size_t)group * DOF * BIN + lane;
#pragma unroll
      for (int k = 0; k < DOF; k++) sum += piece[k * BIN] * x[other + k];
    }
    y[row] = sum;
    dot = (double)x[row] * sum;
  }
  apply_dot(dot, dots);
}

extern "C" {
extern const OperatorMethod REAL_NAME(binbcsr16_cpu), REAL_NAME(binbcsr16_cuda);
}

static int block_count(const Operator *A) {
  const int nodes = BIN / A->space->node_dof * BINS;  // nodes of a thread block
  return A->space->node_count / nodes + (A->space->node_count % nodes > 0);
}

static bool create(Operator *A, Error *error) {
  return REAL_NAME(binbcsr16_cpu).create(A, error);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const auto kernel = BY_NODE_DOF(A->space->node_dof, apply_kernel);
  kernel<<<block_count(A), APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->space->node_count, *(const BlockLayout *)A->layout, (const real *)A->values, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(binbcsr16_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod REAL_NAME(binbcsr16_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "binbcsr16",
             .summary = "rows of unknowns in groups (bins) of 16 rows; the format from which \"binbcsr\" was developed",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = block_count,
};

}  // namespace binbcsr16_operator
