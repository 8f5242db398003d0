// Conservation of energy in steps of the midpoint rule on the GPU: the CUDA version of energy_keep.c (see
// energy_keep.h). Sums are added in a fixed order, so results are bit-identical in every run.
#include "sim/dynamics/energy_keep.cuh"

namespace energy_keep {

enum { BLOCK = ENERGY_BLOCK };

static __global__ void __launch_bounds__(BLOCK) energy_kernel(const __grid_constant__ EnergyStep e) {
  energy_sum_chunk(e);
}

static __global__ void __launch_bounds__(BLOCK) strain_kernel(int parts, const double *part, double *total) {
  energy_add_strain(parts, part, total);
}

static __global__ void __launch_bounds__(BLOCK)
    factor_kernel(const __grid_constant__ EnergyStep e, const double *strain, EnergyFactor *result) {
  const EnergyFactor factor = energy_find_factor(e, strain);
  if (threadIdx.x == 0) *result = factor;
}

static __global__ void __launch_bounds__(BLOCK)
    change_kernel(const __grid_constant__ EnergyStep e, const EnergyFactor *correction) {
  energy_change_chunk(e, correction);
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
                                            const void *u0, const void *p0, double *energy_error, Stream stream,
                                            Error *error) {
  const EnergyStep e = energy_step(m, step, u0, p0, *energy_error);
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

  EnergyFactor *result = (EnergyFactor *)m->iterate.energy_host;  // pinned memory, which has space for an EnergyFactor
  static_assert(sizeof *result <= sizeof *m->iterate.energy_host,
                "energy_host is too small for the result of the correction");
  if (!device_download(stream, result, p->energy_factor, sizeof *result, error) || !stream_sync(stream, error))
    return false;
  *energy_error = result->error;
  return true;
}

}  // namespace energy_keep
