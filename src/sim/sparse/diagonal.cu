// A += shift on the GPU, the twin of diagonal.c.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/sparse/matrix.h"

enum { BLOCK = 256 };

static __global__ void __launch_bounds__(BLOCK)
    shift_kernel(int n, const int *__restrict__ slot, const real *__restrict__ shift, real *__restrict__ values,
                 real *__restrict__ diagonal) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  const real value = values[slot[i]] + shift[i];
  values[slot[i]] = value;
  diagonal[i] = value;
}

static __global__ void __launch_bounds__(BLOCK)
    cross_kernel(int count, const int *__restrict__ slot, const real *__restrict__ cross, real *__restrict__ values) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k < count) values[slot[k]] += cross[k / 2];
}

static bool shift_diagonal(Matrix *A, const void *shift, bool with_cross, void *diagonal, Stream stream,
                           Error *error) {
  const int n = A->pattern->n;
  shift_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, (cudaStream_t)stream.handle>>>(n, A->diagonal, (const real *)shift,
                                                                                   (real *)A->values, (real *)diagonal);
  CUDA_TRY(cudaGetLastError());
  if (!with_cross) return true;
  const int count = n / 3 * 2;
  cross_kernel<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, (cudaStream_t)stream.handle>>>(
      count, A->cross, (const real *)shift + n, (real *)A->values);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const DiagonalOperations REAL_NAME(diagonal_cuda);
const DiagonalOperations REAL_NAME(diagonal_cuda) = { DEVICE_CUDA, REAL_PRECISION, shift_diagonal };
}
