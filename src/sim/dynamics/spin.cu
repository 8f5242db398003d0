// Correction of momenta on the GPU: the CUDA version of spin.c (see spin.h). A piece is a connected part of
// the body, and a chunk a range of its nodes. Sums are added in a fixed order, so results repeat bit for bit.
#include "device/cuda_try.h"
#include "sim/contact/clusters.h"
#include "sim/contact/contact.h"
#include "sim/dynamics/spin.cuh"

namespace spin {

enum { BLOCK = SPIN_BLOCK, LANES = SPIN_LANES };

static __global__ void __launch_bounds__(BLOCK) sum_kernel(const __grid_constant__ SpinStep step) {
  spin_sum_chunk(step);
}

static __global__ void __launch_bounds__(LANES) find_kernel(const __grid_constant__ SpinStep step) {
  spin_find_change(step);
}

static __global__ void __launch_bounds__(BLOCK) change_kernel(const __grid_constant__ SpinStep step) {
  spin_change_chunk(step);
}

static __global__ void __launch_bounds__(LANES) join_kernel(const __grid_constant__ SpinStep step) {
  const int piece = blockIdx.x * LANES + threadIdx.x;
  if (piece < step.pieces.count) spin_join(&step, piece);
}

extern "C" bool REAL_NAME(spin_keep_cuda)(const Motion *m, const TimeStep *time_step, double dt, const void *u0,
                                          const void *p0, Stream stream, Error *error) {
  const SpinPieces *p = m->pieces;
  const SpinStep step = spin_step(m, time_step, dt, u0, p0);
  cudaStream_t s = (cudaStream_t)stream.handle;
  sum_kernel<<<p->chunk_count, BLOCK, 0, s>>>(step);
  CUDA_TRY(cudaGetLastError());
  find_kernel<<<p->count, LANES, 0, s>>>(step);
  CUDA_TRY(cudaGetLastError());
  bool touches = false;
  if (spin_knows_clusters(m, time_step) &&
      !contact_cuda_clusters(m->forces.self->cuda, p->root, p->count, &touches, stream, error))
    return false;
  if (touches) join_kernel<<<(p->count + LANES - 1) / LANES, LANES, 0, s>>>(step);
  CUDA_TRY(cudaGetLastError());
  change_kernel<<<p->chunk_count, BLOCK, 0, s>>>(step);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace spin
