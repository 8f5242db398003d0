// The loops of multigrid over the nodes of a level on the GPU, with one thread per node; see quad_multigrid.h. They are
// bound by memory: neighbouring threads read neighbouring values, and the weights of the lines stay in the cache.
#include "device/cuda_try.h"
#include "lab/quad/quad_multigrid.h"

namespace quad_multigrid {

enum { BLOCK = 256 };

static int blocks_of(int count) {
  return count / BLOCK + (count % BLOCK > 0);
}

static __global__ void __launch_bounds__(BLOCK)
    relax_kernel(int n, real step, const real *__restrict__ weight, const real *__restrict__ b,
                 const real *__restrict__ y, real *x) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a >= n) return;
  const real factor = step * weight[a];
  x[a] = y ? x[a] + factor * (b[a] - y[a]) : factor * b[a];
}

extern "C" bool REAL_NAME(quad_relax_cuda)(int n, real step, const real *weight, const real *b, const real *y, real *x,
                                           Stream stream, Error *error) {
  relax_kernel<<<blocks_of(n), BLOCK, 0, (cudaStream_t)stream.handle>>>(n, step, weight, b, y, x);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static __global__ void __launch_bounds__(BLOCK)
    restrict_kernel(const __grid_constant__ QuadTransfer t, const real *__restrict__ b, const real *__restrict__ y,
                    real step, const real *__restrict__ weight, real *__restrict__ coarse_b,
                    real *__restrict__ coarse_x) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= quad_coarse_count(&t)) return;
  const real sum = quad_restrict_at(&t, k, b, y);
  coarse_b[k] = sum;
  coarse_x[k] = step * weight[k] * sum;
}

extern "C" bool REAL_NAME(quad_restrict_cuda)(const QuadTransfer *transfer, const real *b, const real *y, real step,
                                              const real *weight, real *coarse_b, real *coarse_x, Stream stream,
                                              Error *error) {
  restrict_kernel<<<blocks_of(quad_coarse_count(transfer)), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      *transfer, b, y, step, weight, coarse_b, coarse_x);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static __global__ void __launch_bounds__(BLOCK)
    prolong_kernel(const __grid_constant__ QuadTransfer t, const real *__restrict__ coarse_x, real *__restrict__ x) {
  const int place = blockIdx.x * BLOCK + threadIdx.x;
  if (place >= quad_fine_count(&t)) return;
  x[quad_fine_node(&t, place)] += quad_prolong_at(&t, place, coarse_x);
}

extern "C" bool REAL_NAME(quad_prolong_cuda)(const QuadTransfer *transfer, const real *coarse_x, real *x, Stream stream,
                                             Error *error) {
  prolong_kernel<<<blocks_of(quad_fine_count(transfer)), BLOCK, 0, (cudaStream_t)stream.handle>>>(*transfer, coarse_x,
                                                                                                  x);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace quad_multigrid
