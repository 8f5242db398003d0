// Conservation of energy in steps of the midpoint rule on the GPU: the CUDA version of energy_keep.c (see
// energy_keep.h). Sums are added in a fixed order, so results are bit-identical in every run.
#include "sim/dynamics/energy_keep.h"
#include "sim/dynamics/rigid_motion.cuh"

namespace energy_keep {

enum { BLOCK = rigid::BLOCK };

// Each thread block computes EnergySums over the nodes of one chunk (range of a piece's nodes).
static __global__ void __launch_bounds__(BLOCK) energy_kernel(const __grid_constant__ EnergyStep e) {
  const SpinChunk chunk = e.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&e.pieces, &chunk);
  const RigidRates rigid = e.pieces.rates[chunk.piece];
  EnergySums sums = { 0 };
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += BLOCK)
    energy_add_node(&e, e.pieces.node[k], reference, &rigid, &sums);
  sums = block_combine<BLOCK, EnergySums, energy_add>(sums);
  if (threadIdx.x == 0) e.pieces.energy_sums[blockIdx.x] = sums;
}

HOST_DEVICE void add(double *sum, const double *more) {
  *sum += *more;
}

// One thread block adds `parts` partial sums of the cells' strain energy.
static __global__ void __launch_bounds__(BLOCK) strain_kernel(int parts, const double *part, double *total) {
  double sum = 0;
  for (int k = threadIdx.x; k < parts; k += BLOCK) sum += part[k];
  sum = block_combine<BLOCK, double, add>(sum);
  if (threadIdx.x == 0) *total = sum;
}

// One thread block adds the sums of all chunks (ranges of nodes). From them and from strain [2], the strain energies at
// the start and the end of the step, it computes the correction *result.
static __global__ void __launch_bounds__(BLOCK)
    factor_kernel(const __grid_constant__ EnergyStep e, const double *strain, EnergyFactor *result) {
  EnergySums sums = { 0 };
  for (int c = threadIdx.x; c < e.pieces.chunk_count; c += BLOCK) energy_add(&sums, &e.pieces.energy_sums[c]);
  sums = block_combine<BLOCK, EnergySums, energy_add>(sums);
  if (threadIdx.x == 0) *result = energy_factor(&sums, strain, e.size);
}

// Each thread block corrects the momenta of the nodes of one chunk, some nodes of a connected piece of the body.
static __global__ void __launch_bounds__(BLOCK)
    change_kernel(const __grid_constant__ EnergyStep e, const EnergyFactor *correction) {
  const SpinChunk chunk = e.pieces.chunk[blockIdx.x];
  const int reference = spin_reference(&e.pieces, &chunk);
  const RigidRates rigid = e.pieces.rates[chunk.piece];
  const double s = correction->factor;
  if (s == 0) return;
  for (int k = chunk.first + threadIdx.x; k < chunk.last; k += BLOCK)
    energy_change_node(&e, e.pieces.node[k], reference, &rigid, s);
}

// Queues the computation of the strain energy, J, of all cells at displacements u.
static bool queue_strain(const Motion *m, const void *u, const double *material, double *total, Stream stream,
                         Error *error) {
  const SpinPieces *p = m->pieces;
  if (!m->element->energy(&m->cells, u, material, p->cell_energy, stream, error)) return false;
  strain_kernel<<<1, BLOCK, 0, (cudaStream_t)stream.handle>>>(m->element->parts(m->cells.count), p->cell_energy, total);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool REAL_NAME(energy_keep_cuda)(const Motion *m, const TimeStep *step, const double *material,
                                            const void *u0, const void *p0, bool *gained, Stream stream, Error *error) {
  const EnergyStep e = energy_step(m, step, u0, p0);
  const SpinPieces *p = m->pieces;
  cudaStream_t s = (cudaStream_t)stream.handle;
  if (!queue_strain(m, u0, material, &p->strain[0], stream, error) ||
      !queue_strain(m, m->body.u, material, &p->strain[1], stream, error))
    return false;
  if (!rigid::queue<EnergyStep, energy_add_piece_node, energy_find_piece>(e, s, error)) return false;
  energy_kernel<<<p->chunk_count, BLOCK, 0, s>>>(e);
  CUDA_TRY(cudaGetLastError());
  factor_kernel<<<1, BLOCK, 0, s>>>(e, p->strain, p->energy_factor);
  CUDA_TRY(cudaGetLastError());
  change_kernel<<<p->chunk_count, BLOCK, 0, s>>>(e, p->energy_factor);
  CUDA_TRY(cudaGetLastError());

  EnergyFactor *result = (EnergyFactor *)m->iterate.energy_host;  // pinned memory, large enough
  static_assert(sizeof *result <= sizeof *m->iterate.energy_host, "the result of the correction fits");
  if (!device_download(stream, result, p->energy_factor, sizeof *result, error) || !stream_sync(stream, error))
    return false;
  *gained = result->gained > 0;
  return true;
}

}  // namespace energy_keep
