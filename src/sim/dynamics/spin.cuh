// Correction of momenta on the GPU (spin.h): device functions for the kernels of one body (spin.cu) and of
// many bodies (sim/worlds/worlds.cu). A piece is a connected part of the body, and a chunk a range of its nodes. Sums
// are added in a fixed order, so results repeat bit for bit.
#pragma once
#include "device/block_combine.cuh"
#include "sim/dynamics/spin.h"

enum { SPIN_BLOCK = 256, SPIN_LANES = 64 };
static_assert(sizeof(SpinSums) <= SPIN_LANES * sizeof(double), "each of the sums needs a lane");

// Computes SpinSums over the nodes of chunk blockIdx.x, by SPIN_BLOCK threads.
static __device__ __forceinline__ void spin_sum_chunk(const SpinStep &step) {
  const SpinChunk chunk = step.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&step.pieces, &chunk);
  SpinSums sums = { 0 };
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += SPIN_BLOCK)
    spin_add_node(&step, step.pieces.node[k], reference, &sums);
  sums = block_combine<SPIN_BLOCK, SpinSums, spin_add>(sums);
  if (threadIdx.x == 0) step.pieces.sums[blockIdx.x] = sums;
}

// Adds the sums of the chunks (node ranges) of piece blockIdx.x, and computes the correction of its velocities, by
// SPIN_LANES threads.
static __device__ __forceinline__ void spin_find_change(const SpinStep &step) {
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
  spin_find(&step, &all, all.touching == 0, &p.change[blockIdx.x]);
}

// Corrects momenta and displacements of the nodes of chunk blockIdx.x, by SPIN_BLOCK threads.
static __device__ __forceinline__ void spin_change_chunk(const SpinStep &step) {
  const SpinChunk chunk = step.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&step.pieces, &chunk);
  const SpinChange change = step.pieces.change[chunk.piece];
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += SPIN_BLOCK)
    spin_change_node(&step, step.pieces.node[k], reference, &change);
}
