// The first guess by rigid motions on the GPU: the CUDA version of rigid_guess.c (see rigid_guess.h). Sums are added in
// a fixed order, so results are bit-identical in every run.
#include "sim/dynamics/rigid_guess.h"
#include "sim/dynamics/rigid_motion.cuh"

namespace rigid_guess_kernels {

enum { BLOCK = rigid::BLOCK };

// Each thread block sets u1, the displacements at the step's end, to the first guess at one chunk of nodes (SpinChunk).
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
  if (!rigid::queue<RigidGuess, rigid_add_start, rigid_shift>(g, s, error)) return false;
  place_kernel<<<g.pieces.chunk_count, BLOCK, 0, s>>>(g);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace rigid_guess_kernels
