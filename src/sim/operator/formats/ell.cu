// Computes y = A x for the format ELL (ELLPACK with blocks) on the GPU (CUDA version of ell.c). Several threads, called
// lanes, process a row together: of 4 lanes, lane 0 multiplies the blocks 0, 4, 8, ... of the row by x. If the user
// does not choose the number of lanes, a row has four lanes, or fewer if a node has one unknown and rows are short.
// Neighbouring threads read neighbouring rows of one column, so reads are coalesced. Lanes skip the zero blocks that
// fill short rows. Sums have a fixed order.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/formats/block_layout.h"

namespace ell_operator {

// Computes y = A x [n] with DOF unknowns per node and LANES threads per row. The shape of `values` is [slice][its
// width][DOF columns][BLOCK_SLICE * DOF rows]. A slice is the rows of BLOCK_SLICE nodes, and its width the number of
// blocks of its longest row. `l` has the index arrays. Unless `dots` is NULL, it gets a partial sum of x.y for each
// thread block. A thread loads BATCH blocks before it loads the x for them, so that these loads overlap.
template <int DOF, int LANES>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int n, BlockLayout l, const real *__restrict__ values, const real *__restrict__ x,
                 real *__restrict__ y, double *__restrict__ dots) {
  enum { SLICE_ROWS = BLOCK_SLICE * DOF, WARP_ROWS = 32 / LANES, ROWS = APPLY_BLOCK / LANES, BATCH = DOF == 1 ? 5 : 2 };
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32 / WARP_ROWS;
  const int row = blockIdx.x * ROWS + warp * WARP_ROWS + threadIdx.x % WARP_ROWS, node = row / DOF;
  const bool inside = row < n;  // no thread returns early: the shuffles below need full warps
  const int *__restrict__ column = l.column;
  real sum = 0;
  if (inside) {
    const int first = l.start[node / BLOCK_SLICE], last = first + l.length[node];
    for (int group = first + lane; group < last; group += BATCH * LANES) {
      int other[BATCH];
      real value[BATCH][DOF];
#pragma unroll
      for (int b = 0; b < BATCH; b++) {
        const int g = group + b * LANES;
        const real *__restrict__ block = values + g * DOF * SLICE_ROWS + row % SLICE_ROWS;
        other[b] = g < last ? column[g * BLOCK_SLICE + node % BLOCK_SLICE] * DOF : -1;
#pragma unroll
        for (int k = 0; k < DOF; k++) value[b][k] = g < last ? block[k * SLICE_ROWS] : (real)0;
      }
#pragma unroll
      for (int b = 0; b < BATCH; b++)
        if (other[b] >= 0)
#pragma unroll
          for (int k = 0; k < DOF; k++) sum += value[b][k] * x[other[b] + k];
    }
  }

  // Add the sums of the threads of each row. In the warp, these threads are WARP_ROWS threads apart.
  for (int step = WARP_ROWS; step < 32; step *= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
  apply_dot(inside && lane == 0 ? (double)x[row] * sum : 0, dots);
}

extern "C" {
extern const OperatorMethod REAL_NAME(ell_cpu), REAL_NAME(ell_cuda);
}

static const int lanes[] = { 1, 2, 4, 8, 0 };

static int count_dots(const Operator *A) {
  const int rows = APPLY_BLOCK / A->tuning;
  return A->n / rows + (A->n % rows > 0);
}

typedef void (*Kernel)(int n, BlockLayout l, const real *values, const real *x, real *y, double *dots);

template <int DOF>
static Kernel kernel_of(int tuning) {
  return tuning == 1   ? apply_kernel<DOF, 1>
         : tuning == 2 ? apply_kernel<DOF, 2>
         : tuning == 4 ? apply_kernel<DOF, 4>
                       : apply_kernel<DOF, 8>;
}

static bool create(Operator *A, Error *error) {
  A->tuning = apply_usual_lanes(A);
  return operator_check_dof(A, error) && REAL_NAME(ell_cpu).create(A, error);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const Kernel kernel = BY_NODE_DOF(A->space->node_dof, kernel_of)(A->tuning);
  kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->n, *(const BlockLayout *)A->layout, (const real *)A->values, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(ell_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod REAL_NAME(ell_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "ell",
             .summary =
                 "ELLPACK of blocks: groups of 64 consecutive nodes; the rows of a group are padded to its longest row",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
  .tunings = lanes,
  .tuned = 4,
};

}  // namespace ell_operator
