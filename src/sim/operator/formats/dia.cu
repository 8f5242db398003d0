// Computes y = A x for the format DIA (diagonals of blocks) on the GPU (CUDA version of dia.c). One thread computes one
// row. Threads of a warp process neighbouring rows of a diagonal, so they read neighbouring values and neighbouring
// elements of x.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/formats/block_layout.h"

namespace dia_operator {

// Number of diagonals whose values a thread loads before it multiplies, so that these loads overlap.
enum { BATCH = 4 };

// Computes y = A x [n] with DOF unknowns per node. The shape of `values` is [slice][its diagonals][DOF
// columns][BLOCK_SLICE * DOF rows]. l.start has the index of each slice's first diagonal, and l.column the offset of
// each diagonal: column minus row, in nodes. Unless `dots` is NULL, it gets a partial sum of x.y for each thread block.
template <int DOF>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int n, BlockLayout l, const real *__restrict__ values, const real *__restrict__ x,
                 real *__restrict__ y, double *__restrict__ dots) {
  enum { SLICE_ROWS = BLOCK_SLICE * DOF };
  const int row = blockIdx.x * APPLY_BLOCK + threadIdx.x, node = row / DOF;
  const bool inside = row < n;  // no thread returns early: apply_dot needs all threads
  real sum = 0;
  if (inside) {
    const int last = l.start[node / BLOCK_SLICE + 1];
    for (int first = l.start[node / BLOCK_SLICE]; first < last; first += BATCH) {
      int at[BATCH];  // index in x of the block's first column; negative: no block to multiply
      real value[BATCH][DOF];
#pragma unroll
      for (int b = 0; b < BATCH; b++) {
        const int d = first + b;
        const int column = d < last ? (node + l.column[d]) * DOF : -1;
        at[b] = column < n ? column : -1;
        const real *__restrict__ block = values + d * DOF * SLICE_ROWS + row % SLICE_ROWS;
#pragma unroll
        for (int k = 0; k < DOF; k++) value[b][k] = at[b] >= 0 ? block[k * SLICE_ROWS] : (real)0;
      }
#pragma unroll
      for (int b = 0; b < BATCH; b++)
        if (at[b] >= 0)
#pragma unroll
          for (int k = 0; k < DOF; k++) sum += value[b][k] * x[at[b] + k];
    }
    y[row] = sum;
  }
  apply_dot(inside ? (double)x[row] * sum : 0, dots);
}

extern "C" {
extern const OperatorMethod REAL_NAME(dia_cpu), REAL_NAME(dia_cuda);
}

static bool create(Operator *A, Error *error) {
  return operator_check_dof(A, error) && REAL_NAME(dia_cpu).create(A, error);
}

static int count_dots(const Operator *A) {
  return A->n / APPLY_BLOCK + (A->n % APPLY_BLOCK > 0);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const auto kernel = BY_NODE_DOF(A->space->node_dof, apply_kernel);
  kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->n, *(const BlockLayout *)A->layout, (const real *)A->values, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return REAL_NAME(dia_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod REAL_NAME(dia_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dia",
             .summary = "diagonals of blocks, for regular grids with --order file; other meshes need many times the "
                        "memory of format csr",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};

}  // namespace dia_operator
