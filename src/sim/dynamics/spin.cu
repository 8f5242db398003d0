// Correction of angular momentum on the GPU: the CUDA version of spin.c (see spin.h). A piece is a connected part of
// the body, and a chunk a range of its nodes. Sums are added in a fixed order, so results repeat bit for bit.
#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/contact/clusters.h"
#include "sim/contact/contact.h"
#include "sim/dynamics/spin.h"

namespace spin {

enum { BLOCK = 256, LANES = 64 };
static_assert(sizeof(SpinSums) <= LANES * sizeof(double), "each of the sums needs a lane");

// Each thread block computes SpinSums over the nodes of one chunk, some nodes of a connected piece of the body.
static __global__ void __launch_bounds__(BLOCK) sum_kernel(const __grid_constant__ SpinStep step) {
  const SpinChunk chunk = step.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&step.pieces, &chunk);
  SpinSums sums = { 0 };
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += BLOCK)
    spin_add_node(&step, step.pieces.node[k], reference, &sums);
  sums = block_combine<BLOCK, SpinSums, spin_add>(sums);
  if (threadIdx.x == 0) step.pieces.sums[blockIdx.x] = sums;
}

// Each thread block adds the sums of one piece's chunks (node ranges), and computes the correction of its velocities.
static __global__ void __launch_bounds__(LANES) find_kernel(const __grid_constant__ SpinStep step) {
  __shared__ SpinSums all;
  const SpinPieces &p = step.pieces;
  if (threadIdx.x < SPIN_SUMS) {
    const double *sums = (const double *)p.sums + threadIdx.x;
    double total = 0;
#pragma unroll 8
    for (int c = p.first_chunk[blockIdx.x]; c < p.first_chunk[blockIdx.x + 1]; c++) total += sums[SPIN_SUMS * c];
    ((double *)&all)[threadIdx.x] = total;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  p.piece[blockIdx.x] = all;
  spin_find(&all, step.dt, &p.change[blockIdx.x]);
}

static __global__ void __launch_bounds__(LANES) join_kernel(const __grid_constant__ SpinStep step) {
  const int piece = blockIdx.x * LANES + threadIdx.x;
  if (piece < step.pieces.count) spin_join(&step, piece);
}

// Each thread block corrects the momenta of the nodes of one chunk, some nodes of a connected piece of the body.
static __global__ void __launch_bounds__(BLOCK) change_kernel(const __grid_constant__ SpinStep step) {
  const SpinChunk chunk = step.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&step.pieces, &chunk);
  const SpinChange change = step.pieces.change[chunk.piece];
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += BLOCK)
    spin_change_node(&step, step.pieces.node[k], reference, &change);
}

extern "C" bool REAL_NAME(spin_keep_cuda)(const Motion *m, double dt, const void *u0, const void *p0, Stream stream,
                                          Error *error) {
  const SpinPieces *p = m->pieces;
  const SpinStep step = spin_step(m, dt, u0, p0);
  cudaStream_t s = (cudaStream_t)stream.handle;
  sum_kernel<<<p->chunk_count, BLOCK, 0, s>>>(step);
  CUDA_TRY(cudaGetLastError());
  find_kernel<<<p->count, LANES, 0, s>>>(step);
  CUDA_TRY(cudaGetLastError());
  bool touches = false;
  if (spin_knows_clusters(m) &&
      !contact_cuda_clusters(m->forces.self->cuda, p->root, p->count, &touches, stream, error))
    return false;
  if (touches) join_kernel<<<(p->count + LANES - 1) / LANES, LANES, 0, s>>>(step);
  CUDA_TRY(cudaGetLastError());
  change_kernel<<<p->chunk_count, BLOCK, 0, s>>>(step);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace spin
