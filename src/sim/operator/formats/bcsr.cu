// Computes y = A x for BCSR, block compressed sparse rows, on the GPU (CUDA version of bcsr.c). One warp processes the
// rows of one node, whose blocks are contiguous in memory. The warp reads as many whole blocks at once as its 32
// threads can: three blocks of nine values use 27 threads. A thread reads one entry of each of its blocks, always in
// the same row and column. Example with blocks of nine values: thread 5 reads entry (1, 2) of the blocks 0, 3, 6, ...
// of the node. Sums have a fixed order.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/formats/block_layout.h"

namespace bcsr_operator {

enum { NODES = APPLY_BLOCK / 32 };  // nodes per thread block, one per warp

// Computes y = A x; x and y are [nodes * DOF]. values [blocks][DOF][DOF] are the matrix blocks. For each node, `l` has
// the index of its first block, its number of blocks, and their columns. Unless `dots` is NULL, it gets a partial sum
// of x.y for each thread block.
template <int DOF>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int nodes, BlockLayout l, const real *__restrict__ values, const real *__restrict__ x,
                 real *__restrict__ y, double *__restrict__ dots) {
  enum { SIZE = DOF * DOF, AT_ONCE = 32 / SIZE };  // values per block; blocks that a warp reads at once
  const int node = blockIdx.x * NODES + threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool inside = node < nodes;  // no thread returns early: the shuffles below need full warps
  const int *__restrict__ column = l.column;
  real part = 0;
  if (inside && lane < AT_ONCE * SIZE) {
    const int first = l.start[node], last = first + l.length[node], k = lane % DOF;
#pragma unroll 2
    for (int pair = first + lane / SIZE; pair < last; pair += AT_ONCE)
      part += values[pair * SIZE + lane % SIZE] * x[column[pair] * DOF + k];
  }

  real sum = 0;
  if (DOF == 1) {
    sum = part;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  } else {
    // Thread i < DOF of the warp computes y in row i of the node: it adds up `part` of all threads that read entries of
    // row i.
    const int i = lane < DOF ? lane : 0;
#pragma unroll
    for (int t = 0; t < AT_ONCE * DOF; t++) sum += __shfl_sync(0xffffffff, part, t / DOF * SIZE + i * DOF + t % DOF);
  }

  const bool writes = inside && lane < DOF;
  if (writes) y[node * DOF + lane] = sum;
  apply_dot(writes ? (double)x[node * DOF + lane] * sum : 0, dots);
}

extern "C" {
extern const OperatorMethod REAL_NAME(bcsr_cpu), REAL_NAME(bcsr_cuda);
}

static int count_dots(const Operator *A) {
  const int nodes = A->space->node_count;
  return nodes / NODES + (nodes % NODES > 0);
}

static bool create(Operator *A, Error *error) {
  return operator_check_dof(A, error) && REAL_NAME(bcsr_cpu).create(A, error);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const auto kernel = BY_NODE_DOF(A->space->node_dof, apply_kernel);
  kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->space->node_count, *(const BlockLayout *)A->layout, (const real *)A->values, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(bcsr_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod REAL_NAME(bcsr_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "bcsr",
             .summary = "block compressed sparse rows",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};

}  // namespace bcsr_operator
