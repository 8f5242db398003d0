// Adds given numbers, called the shift, to the diagonal blocks of a stored matrix on the GPU (CUDA version of shift.c).
#include "sim/operator/shift.cuh"

#include "device/cuda_try.h"

namespace shift_operator {

enum { BLOCK = 256 };

static __global__ void __launch_bounds__(BLOCK) shift_kernel(const __grid_constant__ ShiftWork work) {
  shift_entry(work, blockIdx.x * BLOCK + threadIdx.x);
}

static bool shift_diagonal(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                           Stream stream, Error *error) {
  const int64_t dof = A->space->node_dof, entries = A->space->node_count * dof * dof;
  shift_kernel<<<(unsigned)((entries + BLOCK - 1) / BLOCK), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      shift_work(A, shift, crosses, diagonal, wanted));
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
