// Turns velocities back at the start of a step on the GPU: the CUDA version of turn_back.c (see turn_back.h). Sums are
// added in a fixed order, so results are bit-identical in every run.
#include "sim/dynamics/turn_back.cuh"

namespace turn_back_kernels {

static __global__ void __launch_bounds__(rigid::BLOCK) turn_kernel(const __grid_constant__ TurnBack t) {
  turn_back_chunk(t);
}

extern "C" bool REAL_NAME(turn_back_cuda)(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  const TurnBack t = turn_back_of(m, step);
  cudaStream_t s = (cudaStream_t)stream.handle;
  if (!rigid::queue<TurnBack, turn_back_add, turn_back_find>(t, s, error)) return false;
  turn_kernel<<<t.pieces.chunk_count, rigid::BLOCK, 0, s>>>(t);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace turn_back_kernels
