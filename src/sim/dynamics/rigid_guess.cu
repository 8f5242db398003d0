// The first guess of rigid motions on the GPU: the CUDA version of rigid_guess.c, see rigid_guess.h. Sums are added in
// a fixed order, so that results are bit-identical in every run.
#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/dynamics/rigid_guess.h"

namespace rigid_guess_kernels {

enum { BLOCK = 256, LANES = 32 };
static_assert(sizeof(RigidSums) <= LANES * sizeof(double), "a lane for each sum");

// Each block sums over the nodes of one chunk.
static __global__ void __launch_bounds__(BLOCK) sum_kernel(const __grid_constant__ RigidGuess g) {
  const SpinChunk chunk = g.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&g.pieces, &chunk);
  RigidSums sums = { 0 };
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += BLOCK)
    rigid_add_start(&g.loop.motion.body, g.pieces.node[k], reference, &sums);
  sums = block_combine<BLOCK, RigidSums, rigid_add>(sums);
  if (threadIdx.x == 0) g.pieces.rigid_sums[blockIdx.x] = sums;
}

// Each block adds the sums of the chunks of one piece, and computes its motion.
static __global__ void __launch_bounds__(LANES) find_kernel(const __grid_constant__ RigidGuess g) {
  __shared__ RigidSums all;
  const SpinPieces &p = g.pieces;
  if (threadIdx.x < RIGID_SUMS) {
    const double *sums = (const double *)p.rigid_sums + threadIdx.x;
    double total = 0;
#pragma unroll 8
    for (int c = p.first_chunk[blockIdx.x]; c < p.first_chunk[blockIdx.x + 1]; c++) total += sums[RIGID_SUMS * c];
    ((double *)&all)[threadIdx.x] = total;
  }
  __syncthreads();
  if (threadIdx.x == 0) rigid_shift(&all, &g.loop.step, &p.rigid[blockIdx.x]);
}

// Each block moves the nodes of one chunk.
static __global__ void __launch_bounds__(BLOCK) place_kernel(const __grid_constant__ RigidGuess g) {
  const SpinChunk chunk = g.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&g.pieces, &chunk);
  const RigidShift shift = g.pieces.rigid[chunk.piece];
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += BLOCK)
    rigid_place_node(&g, g.pieces.node[k], reference, &shift);
}

extern "C" bool REAL_NAME(rigid_guess_cuda)(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  const RigidGuess g = rigid_guess(m, step);
  cudaStream_t s = (cudaStream_t)stream.handle;
  sum_kernel<<<g.pieces.chunk_count, BLOCK, 0, s>>>(g);
  CUDA_TRY(cudaGetLastError());
  find_kernel<<<g.pieces.count, LANES, 0, s>>>(g);
  CUDA_TRY(cudaGetLastError());
  place_kernel<<<g.pieces.chunk_count, BLOCK, 0, s>>>(g);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace rigid_guess_kernels
