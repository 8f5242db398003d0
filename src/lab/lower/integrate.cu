// Computes the element matrices of a group of cells on the GPU with one thread per cell (paper 002, Algorithm 2); the
// CUDA version of integrate.c. A cell has BRICK_DATA = 22 input numbers and BRICK_ENTRIES = 36 results. Both pass
// through shared memory, so that neighbouring threads load and store neighbouring addresses. In shared memory, the
// numbers of successive cells begin IN_STRIDE or OUT_STRIDE numbers apart. These strides are odd, so the threads of a
// warp use different memory banks.
#include "device/cuda_try.h"
#include "lab/lower/brick.h"
#include "lab/lower/chunked.h"

enum { BLOCK = 64, IN_STRIDE = BRICK_DATA + 1, OUT_STRIDE = BRICK_ENTRIES + 1 };

// Computes records [count][BRICK_ENTRIES], the element matrices of `count` cells, from data [count][BRICK_DATA], the
// constants S(e) of the cells. FORM is a BrickForm. *inverted becomes the lowest index of an inverted cell (det J is
// not positive), if there is one.
template <int FORM>
static __global__ void __launch_bounds__(BLOCK)
    integrate_kernel(int count, const real *__restrict__ data, real coefficient, real *__restrict__ records,
                     int *inverted) {
  __shared__ real stage[BLOCK * OUT_STRIDE];
  const int first = blockIdx.x * BLOCK, here = min(BLOCK, count - first), mine = threadIdx.x;
  const real *in = data + (size_t)first * BRICK_DATA;
  real *out = records + (size_t)first * BRICK_ENTRIES;
  for (int k = mine; k < here * BRICK_DATA; k += BLOCK) stage[k / BRICK_DATA * IN_STRIDE + k % BRICK_DATA] = in[k];
  __syncthreads();
  real S[BRICK_DATA], K[BRICK_ENTRIES];
  for (int k = 0; k < BRICK_DATA; k++) S[k] = mine < here ? stage[mine * IN_STRIDE + k] : (real)1;
  __syncthreads();
  if (mine < here) {
    const real least = FORM == BRICK_MASS ? brick_mass(S, coefficient, K) : brick_matrix(S, coefficient, K);
    if (!(least > 0)) atomicMin(inverted, first + mine);
#pragma unroll
    for (int k = 0; k < BRICK_ENTRIES; k++) stage[mine * OUT_STRIDE + k] = K[k];
  }
  __syncthreads();
  for (int k = mine; k < here * BRICK_ENTRIES; k += BLOCK)
    out[k] = stage[k / BRICK_ENTRIES * OUT_STRIDE + k % BRICK_ENTRIES];
}

static bool integrate(const Chunked *chunked, const ChunkSlot *slot, double coefficient, Error *error) {
  const int blocks = (slot->count + BLOCK - 1) / BLOCK;
  const auto kernel = chunked->form == BRICK_MASS ? integrate_kernel<BRICK_MASS> : integrate_kernel<BRICK_STIFFNESS>;
  kernel<<<blocks, BLOCK, 0, (cudaStream_t)slot->stream.handle>>>(
      slot->count, (const real *)slot->data_dev, (real)coefficient, (real *)slot->records_dev, slot->inverted_dev);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const ChunkedOperations REAL_NAME(chunked_cuda);
const ChunkedOperations REAL_NAME(chunked_cuda) = {
  .device = DEVICE_CUDA,
  .precision = REAL_PRECISION,
  .integrate = integrate,
};
}
