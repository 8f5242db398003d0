// Conservation of energy in steps of the midpoint rule on the GPU (energy_keep.h): device functions for the kernels of
// one body (energy_keep.cu) and of many bodies (sim/worlds/worlds.cu). A chunk is a range of a piece's nodes, and a
// piece a connected part of the body. Sums are added in a fixed order, so results are bit-identical in every run.
#pragma once
#include "sim/dynamics/energy_keep.h"
#include "sim/dynamics/rigid_motion.cuh"

enum { ENERGY_BLOCK = rigid::BLOCK };

// Computes EnergySums over the nodes of chunk blockIdx.x.
static __device__ __forceinline__ void energy_sum_chunk(const EnergyStep &e) {
  const SpinChunk chunk = e.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&e.pieces, &chunk);
  const RigidRates rigid = e.pieces.rates[chunk.piece];
  EnergySums sums = { 0 };
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += ENERGY_BLOCK)
    energy_add_node(&e, e.pieces.node[k], reference, &rigid, &sums);
  sums = block_combine<ENERGY_BLOCK, EnergySums, energy_add>(sums);
  if (threadIdx.x == 0) e.pieces.energy_sums[blockIdx.x] = sums;
}

// Adds `parts` partial sums of the cells' strain energy, by one thread block.
static __device__ __forceinline__ void energy_add_strain(int parts, const double *part, double *total) {
  double sum = 0;
  for (int k = threadIdx.x; k < parts; k += ENERGY_BLOCK) sum += part[k];
  sum = block_combine<ENERGY_BLOCK, double, add>(sum);
  if (threadIdx.x == 0) *total = sum;
}

// Adds the sums of all chunks, by one thread block. Thread 0 then computes and returns the correction. strain [2]: the
// strain energies at the start and the end of the step, J.
static __device__ __forceinline__ EnergyFactor energy_find_factor(const EnergyStep &e, const double *strain) {
  EnergySums sums = { 0 };
  EnergyFactor factor = { 0, 0 };
  for (int c = threadIdx.x; c < e.pieces.chunk_count; c += ENERGY_BLOCK) energy_add(&sums, &e.pieces.energy_sums[c]);
  sums = block_combine<ENERGY_BLOCK, EnergySums, energy_add>(sums);
  if (threadIdx.x == 0) factor = energy_factor(&sums, strain, e.size, e.owed);
  return factor;
}

// Corrects the momenta of the nodes of chunk blockIdx.x.
static __device__ __forceinline__ void energy_change_chunk(const EnergyStep &e, const EnergyFactor *correction) {
  const SpinChunk chunk = e.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&e.pieces, &chunk);
  const RigidRates rigid = e.pieces.rates[chunk.piece];
  const double s = correction->factor;
  if (s == 0) return;
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += ENERGY_BLOCK)
    energy_change_node(&e, e.pieces.node[k], reference, &rigid, s);
}
