// Loops over a body in motion on the GPU: see motion.h; the twin of motion.c. Sums are in double: blocks leave
// partial ones, then one block adds them up, in their order.
#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/newton/decision.h"
#include "sim/newton/integrator.h"

enum { BLOCK = 256, EACH_BLOCK = 128, BLOCKS_MAX = 512 };

// scratch: what blocks leave, then what the element leaves
typedef struct Scratch {
  union {
    ResidualSums residual[BLOCKS_MAX];
    Energy energy[BLOCKS_MAX];
  };
  double cells[ELEMENT_PARTS_MAX];
  unsigned finished;  // blocks, 0 between kernels
} Scratch;

static size_t scratch_bytes(const Motion *) {
  return sizeof(Scratch);
}

static int blocks_for(int count, int block) {
  return (count + block - 1) / block;
}

static int capped_blocks_for(int count) {
  return blocks_for(count, BLOCK) < BLOCKS_MAX ? blocks_for(count, BLOCK) : BLOCKS_MAX;
}

template <void (*at)(const Loop *, int)>
static __global__ void __launch_bounds__(EACH_BLOCK) each_kernel(int count, const __grid_constant__ Loop loop) {
  const int k = blockIdx.x * EACH_BLOCK + threadIdx.x;
  if (loop.gate && !*loop.gate) return;
  if (k < count) at(&loop, k);
}

// at(loop, k) for every k in [0, count)
template <void (*at)(const Loop *, int)>
static bool run(const Loop &loop, int count, Stream stream, Error *error) {
  if (count == 0) return true;
  each_kernel<at><<<blocks_for(count, EACH_BLOCK), EACH_BLOCK, 0, (cudaStream_t)stream.handle>>>(count, loop);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// what obstacles do, where there are any; nothing where *gate is 0
static bool meet_obstacles(const Motion *m, const TimeStep *step, const real *u, bool stick, const int *gate,
                           Stream stream, Error *error) {
  Loop loop = loop_of_obstacles(m, step, u, stick);
  loop.gate = gate;
  return m->forces.obstacle_count == 0 || run<meet_obstacles_at>(loop, m->body.node_count, stream, error);
}

// a block's sums of at(loop, k, sums), from `none` on
template <typename Sums, void (*at)(const Loop *, int, Sums *), void (*add)(Sums *, const Sums *)>
static __global__ void __launch_bounds__(BLOCK)
    sum_kernel(int count, const __grid_constant__ Loop loop, Sums none, Sums *partial) {
  Sums sums = none;
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) at(&loop, k, &sums);
  sums = block_combine<BLOCK, Sums, add>(sums);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
}

static bool guess(const Motion *m, const TimeStep *step, FirstGuess first, Stream stream, Error *error) {
  const Loop loop = loop_over(m, step);
  return first == FIRST_GUESS_VELOCITY ? run<coast_at>(loop, m->body.n, stream, error)
                                       : run<repeat_at>(loop, m->body.n, stream, error);
}

static bool set_trial(const Motion *m, const TimeStep *step, double factor, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.factor = (real)factor;
  return run<trial_at>(loop, m->body.n, stream, error);
}

// What Newton does next. The host, which watches `next`, hears of it where it has to.
static __device__ void decide(const StepDecision &d, const ResidualSums &sums) {
  NewtonProgress *n = d.progress, *told = d.told;
  if (d.solver && !n->solves) {  // it has ended before
    if (d.later) n->finished = 0;
    return;
  }
  newton_decide(n, &d, &sums);
  if (n->solves && !d.last) return;
  NewtonProgress all = *n;
  all.next = NEWTON_RUNNING;
  *told = all;
  __threadfence_system();
  *(volatile int *)&told->next = n->next;
}

// The residual of the trial state; the block that comes last adds up what all have left, in their order, and with
// DECIDES takes the decision, else that is of no use.
template <bool DECIDES>
static __global__ void __launch_bounds__(BLOCK)
    residual_kernel(int count, const __grid_constant__ Loop loop, ResidualSums *partial, unsigned *finished,
                    int trial_count, const double *__restrict__ trial_J, int min_J_count,
                    const real *__restrict__ min_J, ResidualSums *sums, const __grid_constant__ StepDecision decision) {
  __shared__ bool last;
  ResidualSums mine = no_residual();
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) residual_at(&loop, k, &mine);
  mine = block_combine<BLOCK, ResidualSums, add_residuals>(mine);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = mine;
    __threadfence();
    last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  mine = no_residual();
  for (int k = threadIdx.x; k < gridDim.x; k += BLOCK) {
    const volatile ResidualSums *theirs = partial + k;
    const ResidualSums one = { theirs->residual2, theirs->momentum2, theirs->internal2,
                               theirs->external2, theirs->rounding2, theirs->min_J };
    add_residuals(&mine, &one);
  }
#pragma unroll 4
  for (int k = threadIdx.x; k < trial_count; k += BLOCK) mine.min_J = smaller_J(mine.min_J, trial_J[k]);
#pragma unroll 4
  for (int k = threadIdx.x; k < min_J_count; k += BLOCK) mine.min_J = smaller_J(mine.min_J, min_J[k]);
  mine = block_combine<BLOCK, ResidualSums, add_residuals>(mine);
  if (threadIdx.x != 0) return;
  *sums = mine;
  if (DECIDES) decide(decision, mine);
}

static bool queue_residual(const Motion *m, const TimeStep *step, const void *min_J, int min_J_count, bool check_trial,
                           const StepDecision *decision, Stream stream, Error *error) {
  const Iterate *it = &m->iterate;
  Scratch *scratch = (Scratch *)it->scratch;
  if (check_trial && !m->element->smallest_J(&m->cells, it->trial, scratch->cells, stream, error)) return false;
  if (!meet_obstacles(m, step, it->trial, false, NULL, stream, error)) return false;
  (decision ? residual_kernel<true>
            : residual_kernel<false>)<<<capped_blocks_for(m->body.n), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      m->body.n, loop_over(m, step), scratch->residual, &scratch->finished,
      check_trial ? m->element->parts(m->cells.count) : 0, scratch->cells, min_J_count, (const real *)min_J, it->sums,
      decision ? *decision : StepDecision{});
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool residual(const Motion *m, const TimeStep *step, const void *min_J, int min_J_count, bool check_trial,
                     Stream stream, Error *error) {
  const Iterate *it = &m->iterate;
  return queue_residual(m, step, min_J, min_J_count, check_trial, NULL, stream, error) &&
         device_download(stream, it->sums_host, it->sums, sizeof *it->sums, error);
}

static bool queue_shift(const Loop &loop, Stream stream, Error *error) {
  const Motion *m = &loop.motion;
  return run<shift_at>(loop, m->body.node_count, stream, error) &&
         (m->forces.obstacle_count == 0 || run<shift_obstacles_at>(loop, m->body.node_count, stream, error));
}

static bool set_shift(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  return queue_shift(loop_over(m, step), stream, error);
}

static bool end_step(const Motion *m, const TimeStep *step, Stream stream, Error *error) {
  return meet_obstacles(m, step, m->iterate.u1, true, NULL, stream, error) &&
         run<end_step_at>(loop_over(m, step), m->body.node_count, stream, error);
}

static bool extrapolate(const Motion *m, Stream stream, Error *error) {
  return run<extrapolate_at>(loop_over(m, NULL), m->body.n, stream, error);
}

static bool move_origin(const Motion *m, Stream stream, Error *error) {
  const Loop loop = loop_over(m, NULL);
  return run<origin_at>(loop, 3, stream, error) && run<follow_origin_at>(loop, m->body.n, stream, error);
}

static bool reset_anchors(const Motion *m, Stream stream, Error *error) {
  return run<reset_anchor_at>(loop_over(m, NULL), m->body.node_count, stream, error);
}

static bool set_springs(const Motion *m, const int *nodes, const double *values, int count, Stream stream,
                        Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.nodes = nodes, loop.values = values;
  return run<spring_at>(loop, count, stream, error);
}

static bool set_load(const Motion *m, const int *nodes, const double *values, int count, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.nodes = nodes, loop.values = values;
  return run<load_at>(loop, count, stream, error);
}

// one block
static __global__ void __launch_bounds__(BLOCK)
    energy_sums_kernel(int blocks, const Energy *__restrict__ partial, int cell_count,
                       const double *__restrict__ elastic, Energy *sums) {
  Energy mine = { 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 } };
  for (int k = threadIdx.x; k < blocks; k += BLOCK) add_energies(&mine, &partial[k]);
  for (int k = threadIdx.x; k < cell_count; k += BLOCK) mine.elastic += elastic[k];
  mine = block_combine<BLOCK, Energy, add_energies>(mine);
  if (threadIdx.x == 0) *sums = mine;
}

static bool energy(const Motion *m, const double *material, Energy *energy, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  const Iterate *it = &m->iterate;
  Scratch *scratch = (Scratch *)it->scratch;
  const int blocks = capped_blocks_for(m->body.node_count);
  const Energy none = { 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 } };
  if (!meet_obstacles(m, NULL, m->body.u, false, NULL, stream, error)) return false;
  sum_kernel<Energy, energy_at, add_energies>
      <<<blocks, BLOCK, 0, s>>>(m->body.node_count, loop_over(m, NULL), none, scratch->energy);
  CUDA_TRY(cudaGetLastError());
  if (!m->element->energy(&m->cells, m->body.u, material, scratch->cells, stream, error)) return false;
  energy_sums_kernel<<<1, BLOCK, 0, s>>>(blocks, scratch->energy, m->element->parts(m->cells.count), scratch->cells,
                                         it->energy);
  CUDA_TRY(cudaGetLastError());
  if (!device_download(stream, it->energy_host, it->energy, sizeof *energy, error) || !stream_sync(stream, error))
    return false;
  *energy = *it->energy_host;
  return true;
}

static bool positions(const Motion *m, float *out, Stream stream, Error *error) {
  Loop loop = loop_over(m, NULL);
  loop.positions = out;
  return run<position_at>(loop, m->body.n, stream, error);
}

static bool begin(const Motion *m, const TimeStep *step, FirstGuess guess, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.guess = guess;
  return run<begin_at>(loop, m->body.n, stream, error);
}

static bool advance(const Motion *m, const TimeStep *step, const int *wanted, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.gate = wanted;
  return run<advance_at>(loop, m->body.n, stream, error);
}

static bool set_trial_shift(const Motion *m, const TimeStep *step, const int *wanted, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.gate = wanted;
  loop.motion.iterate.u1 = m->iterate.trial;
  return queue_shift(loop, stream, error);
}

static bool finish(const Motion *m, const TimeStep *step, const StepDecision *decision, Stream stream, Error *error) {
  Loop loop = loop_over(m, step);
  loop.gate = &decision->progress->finished;
  return meet_obstacles(m, step, m->iterate.trial, true, loop.gate, stream, error) &&
         run<finish_at>(loop, m->body.node_count, stream, error);
}

static const MotionRecorded recorded = { begin, advance, set_trial_shift, queue_residual, finish };

extern "C" {
extern const MotionMethod REAL_NAME(motion_cuda);
const MotionMethod REAL_NAME(motion_cuda) = {
  { STAGE_BODY, "body", "the body's own arithmetic", NULL, DEVICE_CUDA, REAL_PRECISION, true, motion_bytes },
  scratch_bytes,
  guess,
  set_trial,
  residual,
  set_shift,
  end_step,
  extrapolate,
  move_origin,
  reset_anchors,
  set_springs,
  set_load,
  energy,
  positions,
  &recorded,
};
}
