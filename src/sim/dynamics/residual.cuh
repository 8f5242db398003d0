// The residual of a trial state with its norms, and the decision about Newton's next action: device functions for the
// kernels of one body (motion.cu) and of many bodies (sim/worlds/worlds.cu). Sums are computed in double: each thread
// block stores a partial sum, and the last block of a body adds these in a fixed order. F is the deformation gradient
// of a cell, and J = det F.
#pragma once
#include "device/block_combine.cuh"
#include "sim/dynamics/decision.h"
#include "sim/dynamics/integrator.h"

// RESIDUAL_BLOCK: threads of a thread block. RESIDUAL_BLOCKS_MAX: maximum number of thread blocks of a body.
enum { RESIDUAL_BLOCK = 256, RESIDUAL_BLOCKS_MAX = 512, RESIDUAL_SUMS = sizeof(ResidualNorms) / sizeof(double) };

// Content of Iterate.scratch. residual, energy: partial sums of thread blocks. cells: partial sums of elastic energy,
// or partial minima of det F, each over a group of cells.
typedef struct MotionScratch {
  union {
    double residual[RESIDUAL_SUMS][RESIDUAL_BLOCKS_MAX];
    Energy energy[RESIDUAL_BLOCKS_MAX];
  };
  double cells[ELEMENT_PARTS_MAX];
  unsigned finished;  // number of thread blocks of the running kernel that have ended; 0 between kernels
} MotionScratch;

// Inputs of the decision about Newton's next action (decision.h), copied to shared memory. `progress` also gets the
// result of the decision. slides: number of contact pairs with friction.
typedef struct Deciding {
  NewtonProgress progress;
  SolverReport solver;
  ContactSums sums;
  int slides;
} Deciding;

template <typename Whole>
static __device__ __forceinline__ void copy_whole(Whole *to, const Whole *from, int thread, int threads) {
  static_assert(sizeof(Whole) % sizeof(double) == 0, "the value is copied as whole doubles");
  for (int k = thread; k < (int)(sizeof(Whole) / sizeof(double)); k += threads)
    ((double *)to)[k] = ((const double *)from)[k];
}

// Copies the inputs of a decision to shared memory. `threads` threads call it; `thread` is the caller's index.
static __device__ __forceinline__ void gather_decision(const StepDecision &d, Deciding *all, int thread, int threads) {
  copy_whole(&all->progress, (const NewtonProgress *)d.progress, thread, threads);
  if (d.solver) copy_whole(&all->solver, d.solver, thread, threads);
  if (!d.sums) return;
  copy_whole(&all->sums, d.sums, thread, threads);
  if (thread == 0) all->slides = *d.slides;
}

// Decides about Newton's next action; all threads of a block call this. One thread decides by `norms` (newton_decide)
// or, if `norms` is NULL, by `higher`, the change of the potential (newton_decide_weighed). All threads copy the result
// to d.progress and, if the host must act, to d.on_host. The host polls d.on_host->next, so this member is written
// last.
static __device__ void decide(StepDecision d, Deciding *all, const ResidualNorms *norms, double higher) {
  __shared__ bool ended, reports;
  __shared__ int next;
  if (threadIdx.x == 0) {
    NewtonProgress *n = &all->progress;
    ended = !newton_is_asked(n, &d);  // true: the step has taken another branch of the graph or has ended
    if (!ended) {
      d.solver = d.solver ? &all->solver : NULL;
      if (d.sums) {
        d.sums = &all->sums;
        d.slides = &all->slides;
      }
      if (norms)
        newton_decide(n, &d, norms);
      else
        newton_decide_weighed(n, &d, higher);
    }
    reports = !ended && newton_reports(n, &d);
    next = n->next;
  }

  __syncthreads();
  if (ended) return;
  copy_whole(d.progress, &all->progress, threadIdx.x, RESIDUAL_BLOCK);
  if (!reports) return;
  __syncthreads();
  if (threadIdx.x == 0) all->progress.next = NEXT_PENDING;
  __syncthreads();
  copy_whole(d.on_host, &all->progress, threadIdx.x, RESIDUAL_BLOCK);
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *(volatile int *)&d.on_host->next = next;
}

// Returns, in all threads of a warp, the sum of `from` [count] in a fixed order. If `smallest` is true, returns the
// minimum instead. The function is not inlined, so that all calls share one copy of its instructions. Most of the time
// of a call is spent on loading these instructions.
static __device__ __noinline__ double warp_total(const volatile double *from, int count, bool smallest) {
  enum { BATCH = 8 };  // loads that each lane issues before it uses the first result
  const double nothing = smallest ? no_residual().min_J : 0;
  double total = nothing;
  for (int first = threadIdx.x % 32; first < count; first += 32 * BATCH) {
    double some[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) some[k] = first + 32 * k < count ? from[first + 32 * k] : nothing;
#pragma unroll
    for (int k = 0; k < BATCH; k++) total = smallest ? smaller_J(total, some[k]) : total + some[k];
  }
#pragma unroll 1
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(0xffffffff, total, step);
    total = smallest ? smaller_J(total, other) : total + other;
  }
  return total;
}

// Returns, in all threads of a warp, the minimum of J [count]. J[k] is the smallest det F of group k of cells, which
// the assembly has computed.
static __device__ __forceinline__ double warp_smallest(const real *__restrict__ J, int count) {
  enum { BATCH = 8 };
  real low = (real)INFINITY;
  for (int first = threadIdx.x % 32; first < count; first += 32 * BATCH) {
    real some[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) some[k] = first + 32 * k < count ? J[first + 32 * k] : (real)INFINITY;
#pragma unroll
    for (int k = 0; k < BATCH; k++)
      low = some[k] < low ? some[k] : low;  // no element is NaN: if det F is NaN, the assembly stores -infinity
  }
#pragma unroll 1
  for (int step = 16; step > 0; step /= 2) {
    const real other = __shfl_xor_sync(0xffffffff, low, step);
    low = other < low ? other : low;
  }
  return low;
}

// Returns true in the last thread block that calls it. One thread of each block must call it. The writes of the earlier
// blocks are then visible to the last one.
static __device__ __forceinline__ bool comes_last(unsigned *finished) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(finished), "r"(gridDim.x - 1)
               : "memory");
  return before == gridDim.x - 1;
}

// Arguments of residual_evaluate, which computes the residual of the trial state and the norms of this residual.
typedef struct ResidualWork {
  Loop loop;
  int nodes;              // number of nodes
  double *partial;        // [RESIDUAL_SUMS][RESIDUAL_BLOCKS_MAX], partial sums, one per thread block
  unsigned *finished;     // number of thread blocks that have ended; 0 between kernels
  int trial_count;        // length of trial_J
  const double *trial_J;  // smallest det F of each group of cells, in the trial state (end of the step)
  int min_J_count;        // length of min_J
  const real *min_J;      // smallest det F of each group of cells, at the displacements at which forces are evaluated
  ResidualNorms *norms;   // output
} ResidualWork;

/// Returns the number of thread blocks that compute the residual of a body.
static inline int residual_blocks(int nodes) {
  const int blocks = (nodes + RESIDUAL_BLOCK - 1) / RESIDUAL_BLOCK;
  return blocks < RESIDUAL_BLOCKS_MAX ? blocks : RESIDUAL_BLOCKS_MAX;
}

/// Returns the ResidualWork of a body. `check_trial`: true if scratch->cells has the smallest det F of each group of
/// cells in the trial state.
static inline ResidualWork residual_work(const Motion *m, const TimeStep *step, const void *min_J, int min_J_count,
                                         bool check_trial) {
  MotionScratch *scratch = (MotionScratch *)m->iterate.scratch;
  const ResidualWork work = { loop_over(m, step),
                              m->body.node_count,
                              scratch->residual[0],
                              &scratch->finished,
                              check_trial ? m->element->parts(m->cells.count) : 0,
                              scratch->cells,
                              min_J_count,
                              (const real *)min_J,
                              m->iterate.norms };
  return work;
}

/// Computes the residual of the trial state and the norms of this residual; all threads of a body's thread blocks call
/// this. The last block adds the sums of all blocks and, if DECIDES is true, decides Newton's next action.
template <bool DECIDES>
static __device__ __forceinline__ void residual_evaluate(const ResidualWork &w, const StepDecision &decision) {
  enum { WARPS = RESIDUAL_BLOCK / 32 };
  static_assert(RESIDUAL_SUMS + 2 == WARPS,
                "a block has one warp for each sum, one for det F, and one for the decision");
  __shared__ double mine[RESIDUAL_SUMS][RESIDUAL_BLOCK];
  __shared__ ResidualNorms all;
  __shared__ Deciding deciding;
  __shared__ double other_J;
  __shared__ bool last;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  ResidualSums one = no_residual();
  for (int a = blockIdx.x * RESIDUAL_BLOCK + threadIdx.x; a < w.nodes; a += gridDim.x * RESIDUAL_BLOCK) {
    real value[3];  // all three values are computed before the first store, so that stores do not delay loads
#pragma unroll
    for (int i = 0; i < 3; i++) value[i] = residual_at(&w.loop, 3 * a + i, &one);
#pragma unroll
    for (int i = 0; i < 3; i++) w.loop.motion.iterate.residual[3 * a + i] = value[i];
  }
#pragma unroll
  for (int sum = 0; sum < RESIDUAL_SUMS; sum++) mine[sum][threadIdx.x] = ((const double *)&one)[sum];
  __syncthreads();
  const bool smallest = warp == RESIDUAL_SUMS - 1;
  if (warp < RESIDUAL_SUMS) {
    const double total = warp_total(mine[warp], RESIDUAL_BLOCK, smallest);
    if (lane == 0) w.partial[warp * RESIDUAL_BLOCKS_MAX + blockIdx.x] = total;
  }
  __syncthreads();
  if (threadIdx.x == 0) last = comes_last(w.finished);
  __syncthreads();
  if (!last) return;
  if (warp < RESIDUAL_SUMS) {
    const double total = warp_total(w.partial + warp * RESIDUAL_BLOCKS_MAX, (int)gridDim.x, smallest);
    if (lane == 0) ((double *)&all)[warp] = smallest ? total : sqrt(total);
  } else if (warp == RESIDUAL_SUMS) {
    const double trial = warp_total(w.trial_J, w.trial_count, true), other = warp_smallest(w.min_J, w.min_J_count);
    if (lane == 0) other_J = smaller_J(trial, other);
  } else if (DECIDES) {
    gather_decision(decision, &deciding, lane, 32);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    all.min_J = smaller_J(all.min_J, other_J);
    *w.norms = all;
  }
  __syncthreads();
  if (DECIDES) decide(decision, &deciding, &all, 0);
}
