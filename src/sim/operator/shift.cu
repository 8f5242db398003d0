// Adds given numbers, called the shift, to the diagonal blocks of a stored matrix on the GPU (CUDA version of shift.c).
// Each thread processes one entry of a diagonal block, so neighbouring threads write neighbouring numbers of A->blocks.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/operator.h"

namespace shift_operator {

enum { BLOCK = 256 };

// Adds the shift to the diagonal blocks: shift [nodes * dof] to their diagonals, and cross [nodes][crosses] to their
// off-diagonal entries. The diagonal block of node a is at position own[a] of `values`. If `own` is NULL, the diagonal
// blocks are in `blocks`. Writes the changed blocks to blocks [nodes][dof^2] and, unless `diagonal` is NULL, their
// diagonals to diagonal [nodes * dof]. Does nothing if `wanted` is not NULL and *wanted is 0.
static __global__ void __launch_bounds__(BLOCK)
    shift_kernel(int nodes, int dof, bool diagonal_first, const BlockSlots *__restrict__ own,
                 const real *__restrict__ shift, const real *__restrict__ cross, int crosses, real *__restrict__ values,
                 real *__restrict__ blocks, real *__restrict__ diagonal, const int *wanted) {
  // 32 bits suffice for `entry`: all diagonal blocks are in `values`, whose length fits an int.
  const unsigned entry = blockIdx.x * BLOCK + threadIdx.x, dofs = (unsigned)dof;
  const int node = (int)(entry / (dofs * dofs)), i = (int)(entry / dofs % dofs), k = (int)(entry % dofs);
  if (wanted && !*wanted) return;
  if (node >= nodes) return;
  const int row = node * dof + i;
  real *at = own ? values + diagonal_block_slot(own[node], diagonal_first, dof, node, i, k) : blocks + entry,
       value = *at;
  if (i == k) *at = value += shift[row];
  if (i == k && diagonal) diagonal[row] = value;
  if (i != k && i + k <= crosses) *at = value += cross[(size_t)crosses * node + i + k - 1];
  if (own) blocks[entry] = value;
}

static bool shift_diagonal(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                           Stream stream, Error *error) {
  const int nodes = A->space->node_count, dof = A->space->node_dof;
  const int64_t entries = (int64_t)nodes * dof * dof;
  shift_kernel<<<(unsigned)((entries + BLOCK - 1) / BLOCK), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      nodes, dof, A->method->diagonal_first, A->diagonal_last ? NULL : A->diagonal_slots, (const real *)shift,
      (const real *)shift + A->n, crosses, (real *)A->values, (real *)A->blocks, (real *)diagonal, wanted);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const ShiftOperations REAL_NAME(shift_cuda);
const ShiftOperations REAL_NAME(shift_cuda) = {
  .device = DEVICE_CUDA,
  .precision = REAL_PRECISION,
  .shift = shift_diagonal,
};
}

}  // namespace shift_operator
