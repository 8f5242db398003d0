// Kernels that process many bodies in one launch (worlds.h). Row blockIdx.y of the grid processes one body, with the
// arguments that the host has prepared for this body (worlds.c). The kernels compute as the kernels for one body do, in
// the same order, so the results of each body have the same bits as those of a step of this body only.
#include "device/cuda_try.h"
#include "sim/dynamics/energy_keep.cuh"
#include "sim/dynamics/residual.cuh"
#include "sim/dynamics/spin.cuh"
#include "sim/dynamics/turn_back.cuh"
#include "sim/operator/shift.cuh"
#include "sim/worlds/world_kernels.h"

namespace worlds {

enum { BLOCK = 128, ENTRIES_BLOCK = 256 };

static int blocks_for(int64_t count, int block) {
  return (int)((count + block - 1) / block);
}

template <void (*at)(const Loop *, int)>
static __global__ void __launch_bounds__(BLOCK) each_kernel(int count, const Loop *loops) {
  const Loop *loop = &loops[blockIdx.y];
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k < count && (!loop->gate || *loop->gate)) at(loop, k);
}

template <void (*at)(const Loop *, int)>
static bool each(const void *loops, int count, int bodies, Stream stream, Error *error) {
  each_kernel<at>
      <<<dim3(blocks_for(count, BLOCK), bodies), BLOCK, 0, (cudaStream_t)stream.handle>>>(count, (const Loop *)loops);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static __global__ void __launch_bounds__(RESIDUAL_BLOCK)
    residual_kernel(const ResidualWork *works, const StepDecision *decisions) {
  const ResidualWork &work = works[blockIdx.y];
  if (work.loop.gate && !*work.loop.gate) return;
  residual_evaluate<true>(work, decisions[blockIdx.y]);
}

static __global__ void __launch_bounds__(ENTRIES_BLOCK) shift_kernel(const ShiftWork *works) {
  shift_entry(works[blockIdx.y], blockIdx.x * ENTRIES_BLOCK + threadIdx.x);
}

// Functions that return true if a thread block has work. Bodies may have different numbers of pieces (connected parts)
// and of chunks (ranges of a piece's nodes), but the launch has equally many thread blocks for each body. So these
// functions test if the body has a chunk or a piece with the index blockIdx.x, and if its step is finished.
template <typename Work>
static __device__ __forceinline__ bool has_chunk(const Work &work) {
  return *work.wanted && (int)blockIdx.x < work.step.pieces.chunk_count;
}

template <typename Work>
static __device__ __forceinline__ bool has_piece(const Work &work) {
  return *work.wanted && (int)blockIdx.x < work.step.pieces.count;
}

static __global__ void __launch_bounds__(rigid::BLOCK) turn_sum_kernel(const TurnBack *works) {
  const TurnBack &work = works[blockIdx.y];
  if ((int)blockIdx.x < work.pieces.chunk_count) rigid::sum_chunk<TurnBack, turn_back_add>(work);
}

static __global__ void __launch_bounds__(rigid::LANES) turn_find_kernel(const TurnBack *works) {
  const TurnBack &work = works[blockIdx.y];
  if ((int)blockIdx.x < work.pieces.count) rigid::add_chunks<TurnBack, turn_back_find>(work);
}

static __global__ void __launch_bounds__(rigid::BLOCK) turn_kernel(const TurnBack *works) {
  const TurnBack &work = works[blockIdx.y];
  if ((int)blockIdx.x < work.pieces.chunk_count) turn_back_chunk(work);
}

static __global__ void __launch_bounds__(SPIN_BLOCK) spin_sum_kernel(const SpinWork *works) {
  if (has_chunk(works[blockIdx.y])) spin_sum_chunk(works[blockIdx.y].step);
}

static __global__ void __launch_bounds__(SPIN_LANES) spin_find_kernel(const SpinWork *works) {
  if (has_piece(works[blockIdx.y])) spin_find_change(works[blockIdx.y].step);
}

static __global__ void __launch_bounds__(SPIN_BLOCK) spin_change_kernel(const SpinWork *works) {
  if (has_chunk(works[blockIdx.y])) spin_change_chunk(works[blockIdx.y].step);
}

// Adds the partial sums of the strain energy at the start (`end` 0) or at the end (`end` 1) of the step.
static __global__ void __launch_bounds__(ENERGY_BLOCK) strain_kernel(const EnergyWork *works, int parts, int end) {
  const SpinPieces &p = works[blockIdx.y].step.pieces;
  if (*works[blockIdx.y].wanted) energy_add_strain(parts, p.cell_energy, &p.strain[end]);
}

static __global__ void __launch_bounds__(rigid::BLOCK) rigid_sum_kernel(const EnergyWork *works) {
  if (has_chunk(works[blockIdx.y])) rigid::sum_chunk<EnergyStep, energy_add_piece_node>(works[blockIdx.y].step);
}

static __global__ void __launch_bounds__(rigid::LANES) rigid_find_kernel(const EnergyWork *works) {
  if (has_piece(works[blockIdx.y])) rigid::add_chunks<EnergyStep, energy_find_piece>(works[blockIdx.y].step);
}

static __global__ void __launch_bounds__(ENERGY_BLOCK) energy_sum_kernel(const EnergyWork *works) {
  if (has_chunk(works[blockIdx.y])) energy_sum_chunk(works[blockIdx.y].step);
}

// Computes the factor of the correction of energy for each body. If the error of the corrected step is too large,
// the step does not count as complete.
static __global__ void __launch_bounds__(ENERGY_BLOCK) energy_factor_kernel(const EnergyWork *works) {
  const EnergyWork &work = works[blockIdx.y];
  if (!*work.wanted) return;
  const SpinPieces &p = work.step.pieces;
  const EnergyFactor factor = energy_find_factor(work.step, p.strain);
  if (threadIdx.x != 0) return;
  *p.energy_factor = factor;
  work.result->energy_error = factor.error;
}

static __global__ void __launch_bounds__(ENERGY_BLOCK) energy_change_kernel(const EnergyWork *works) {
  const EnergyWork &work = works[blockIdx.y];
  if (has_chunk(work)) energy_change_chunk(work.step, work.step.pieces.energy_factor);
}

// Marks the bodies whose step is complete: Newton's method has converged, and the step is not repeated.
static __global__ void complete_kernel(const StepDecision *decisions, WorldResult *results, int bodies) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= bodies) return;
  results[k].complete =
      decisions[k].progress->finished && (decisions[k].bounds.plain || !energy_repeats(results[k].energy_error, 0));
}

extern "C" {
size_t REAL_NAME(residual_work_bytes)(void) {
  return sizeof(ResidualWork);
}

void REAL_NAME(residual_work_of)(const Motion *motion, const TimeStep *step, const void *min_J, int min_J_count,
                                 bool check_trial, const int *wanted, void *arguments) {
  ResidualWork *work = (ResidualWork *)arguments;
  *work = residual_work(motion, step, min_J, min_J_count, check_trial);
  work->loop.gate = wanted;
}

size_t REAL_NAME(shift_work_bytes)(void) {
  return sizeof(ShiftWork);
}

void REAL_NAME(shift_work_of)(const Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                              void *arguments) {
  *(ShiftWork *)arguments = shift_work(A, shift, crosses, diagonal, wanted);
}

double *REAL_NAME(world_smallest_J)(const Motion *motion) {
  return ((MotionScratch *)motion->iterate.scratch)->cells;
}

bool REAL_NAME(worlds_each)(WorldLoop loop, const void *loops, int count, int bodies, Stream stream, Error *error) {
  switch (loop) {
    case WORLD_BEGIN:
      return each<begin_at>(loops, count, bodies, stream, error);
    case WORLD_SHIFT:
      return each<shift_at>(loops, count, bodies, stream, error);
    case WORLD_SHIFT_SEPARATE_FORCES:
      return each<shift_separate_forces_at>(loops, count, bodies, stream, error);
    case WORLD_SEPARATE_FORCES:
      return each<separate_forces_at>(loops, count, bodies, stream, error);
    case WORLD_ADVANCE:
      return each<advance_at>(loops, count, bodies, stream, error);
    case WORLD_FINISH:
      return each<finish_at>(loops, count, bodies, stream, error);
    case WORLD_ORIGIN:
      return each<origin_at>(loops, count, bodies, stream, error);
    case WORLD_FOLLOW_ORIGIN:
      return each<follow_origin_at>(loops, count, bodies, stream, error);
  }
  return true;
}

bool REAL_NAME(worlds_residual)(const void *works, const void *decisions, int nodes, int bodies, Stream stream,
                                Error *error) {
  residual_kernel<<<dim3(residual_blocks(nodes), bodies), RESIDUAL_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      (const ResidualWork *)works, (const StepDecision *)decisions);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(worlds_shift)(const void *works, int nodes, int bodies, Stream stream, Error *error) {
  const dim3 grid(blocks_for(9 * (int64_t)nodes, ENTRIES_BLOCK), bodies);
  shift_kernel<<<grid, ENTRIES_BLOCK, 0, (cudaStream_t)stream.handle>>>((const ShiftWork *)works);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(worlds_turn_back)(const void *works, WorldPieces most, int bodies, Stream stream, Error *error) {
  const TurnBack *list = (const TurnBack *)works;
  const cudaStream_t s = (cudaStream_t)stream.handle;
  turn_sum_kernel<<<dim3(most.chunks, bodies), rigid::BLOCK, 0, s>>>(list);
  turn_find_kernel<<<dim3(most.pieces, bodies), rigid::LANES, 0, s>>>(list);
  turn_kernel<<<dim3(most.chunks, bodies), rigid::BLOCK, 0, s>>>(list);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(worlds_keep_spin)(const void *works, WorldPieces most, int bodies, Stream stream, Error *error) {
  const SpinWork *list = (const SpinWork *)works;
  const cudaStream_t s = (cudaStream_t)stream.handle;
  spin_sum_kernel<<<dim3(most.chunks, bodies), SPIN_BLOCK, 0, s>>>(list);
  spin_find_kernel<<<dim3(most.pieces, bodies), SPIN_LANES, 0, s>>>(list);
  spin_change_kernel<<<dim3(most.chunks, bodies), SPIN_BLOCK, 0, s>>>(list);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(worlds_add_strain)(const void *works, int parts, int end, int bodies, Stream stream, Error *error) {
  strain_kernel<<<dim3(1, bodies), ENERGY_BLOCK, 0, (cudaStream_t)stream.handle>>>((const EnergyWork *)works, parts,
                                                                                   end);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(worlds_keep_energy)(const void *works, WorldPieces most, int bodies, Stream stream, Error *error) {
  const EnergyWork *list = (const EnergyWork *)works;
  const cudaStream_t s = (cudaStream_t)stream.handle;
  rigid_sum_kernel<<<dim3(most.chunks, bodies), rigid::BLOCK, 0, s>>>(list);
  rigid_find_kernel<<<dim3(most.pieces, bodies), rigid::LANES, 0, s>>>(list);
  energy_sum_kernel<<<dim3(most.chunks, bodies), ENERGY_BLOCK, 0, s>>>(list);
  energy_factor_kernel<<<dim3(1, bodies), ENERGY_BLOCK, 0, s>>>(list);
  energy_change_kernel<<<dim3(most.chunks, bodies), ENERGY_BLOCK, 0, s>>>(list);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(worlds_complete)(const void *decisions, WorldResult *results, int bodies, Stream stream, Error *error) {
  complete_kernel<<<blocks_for(bodies, BLOCK), BLOCK, 0, (cudaStream_t)stream.handle>>>((const StepDecision *)decisions,
                                                                                        results, bodies);
  CUDA_TRY(cudaGetLastError());
  return true;
}
}

}  // namespace worlds
