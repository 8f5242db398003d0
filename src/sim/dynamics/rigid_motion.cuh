// Sums over the nodes of each piece (connected part) of a body on the GPU, for rigid_guess.cu and energy_keep.cu. Sums
// are added in a fixed order, so results are bit-identical in every run.
#pragma once
#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/dynamics/rigid_motion.h"

namespace rigid {

enum { BLOCK = 256, LANES = 32 };
static_assert(sizeof(RigidSums) <= LANES * sizeof(double), "a lane for each sum");

// Computes RigidSums over the nodes of chunk blockIdx.x (a range of a piece's nodes). The function add_node adds one
// node to the sums.
template <typename Step, void (*add_node)(const Step *, int a, int reference, RigidSums *)>
static __device__ __forceinline__ void sum_chunk(const Step &step) {
  const SpinChunk chunk = step.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&step.pieces, &chunk);
  RigidSums sums = { 0 };
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += BLOCK)
    add_node(&step, step.pieces.node[k], reference, &sums);
  sums = block_combine<BLOCK, RigidSums, rigid_add>(sums);
  if (threadIdx.x == 0) step.pieces.rigid_sums[blockIdx.x] = sums;
}

// Adds the sums of the chunks (ranges of nodes) of piece blockIdx.x, by LANES threads, and calls `take` with the total.
template <typename Step, void (*take)(const Step *, int piece, const RigidSums *)>
static __device__ __forceinline__ void add_chunks(const Step &step) {
  __shared__ RigidSums all;
  const SpinPieces &p = step.pieces;
  if (threadIdx.x < RIGID_SUMS) {
    const double *sums = (const double *)p.rigid_sums + threadIdx.x;
    double total = 0;
#pragma unroll 8
    for (int c = p.first_chunk[blockIdx.x]; c < p.first_chunk[blockIdx.x + 1]; c++) total += sums[RIGID_SUMS * c];
    ((double *)&all)[threadIdx.x] = total;
  }
  __syncthreads();
  if (threadIdx.x == 0) take(&step, blockIdx.x, &all);
}

template <typename Step, void (*add_node)(const Step *, int a, int reference, RigidSums *)>
static __global__ void __launch_bounds__(BLOCK) sum_kernel(const __grid_constant__ Step step) {
  sum_chunk<Step, add_node>(step);
}

template <typename Step, void (*take)(const Step *, int piece, const RigidSums *)>
static __global__ void __launch_bounds__(LANES) find_kernel(const __grid_constant__ Step step) {
  add_chunks<Step, take>(step);
}

// Queues two kernels. The first calls add_node, which adds a node to the sums of its chunk (range of nodes of a piece).
// The second adds the chunks of each piece, and calls `take` with the sums of the piece.
template <typename Step, void (*add_node)(const Step *, int a, int reference, RigidSums *),
          void (*take)(const Step *, int piece, const RigidSums *)>
static bool queue(const Step &step, cudaStream_t stream, Error *error) {
  sum_kernel<Step, add_node><<<step.pieces.chunk_count, BLOCK, 0, stream>>>(step);
  CUDA_TRY(cudaGetLastError());
  find_kernel<Step, take><<<step.pieces.count, LANES, 0, stream>>>(step);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace rigid
