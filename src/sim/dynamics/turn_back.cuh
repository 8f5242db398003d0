// Turns velocities back at the start of a step, on the GPU (turn_back.h): a device function for the kernels of one body
// (turn_back.cu) and of many bodies (sim/worlds/worlds.cu).
#pragma once
#include "sim/dynamics/rigid_motion.cuh"
#include "sim/dynamics/turn_back.h"

// Sets Iterate.back at the nodes of chunk blockIdx.x (a range of a piece's nodes), by rigid::BLOCK threads.
static __device__ __forceinline__ void turn_back_chunk(const TurnBack &t) {
  const SpinChunk chunk = t.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&t.pieces, &chunk);
  const SpinChange change = t.pieces.change[chunk.piece];
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += rigid::BLOCK)
    turn_back_node(&t, t.pieces.node[k], reference, &change);
}
