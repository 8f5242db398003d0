// What conjugate gradients on the GPU (cg.cu) work on, and the kernels of an iteration that take a grid each: sums of
// one are added up by all blocks of the next.
#pragma once
#include "base/real.h"
#include "device/overlap.cuh"
#include "device/packet.cuh"
#include "sim/operator/formats/apply.cuh"
#include "sim/solver/multigrid/coarse.cuh"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"

// A look at the host's flag crosses the bus and takes as long as a third of an iteration: one in LOOK costs less than
// 1 %.
enum { BLOCK = 256, BLOCKS_MAX = 512, LOOK = 128 };

// On the device. No kernel reads a field that one of its own blocks writes, except `done`; `iterate` writes once all of
// its blocks have read. What every iteration reads comes first, in one sector of memory.
typedef struct State {
  double rz;        // of the newest residual: written by `direct`, read by `advance`
  double rz_last;   // the one before: written by `advance`, read by `direct`
  int done, first;  // the second: no iteration has been taken yet; both written by `direct`
  // with levels: D^-1 has taken the cycle's place, whose r.z was not positive; written and handed on as rz is
  int plain, plain_last;
  double bound;  // r.r at which it ends
  double rr0;    // b.b over the free unknowns
  SolverReport report;
  // when the kernel before the product ended, ns: written by `begin` and `direct`, read by `advance`, or by `iterate`
  unsigned long long product_began;
  unsigned tag;  // of the last exchange of `iterate`, which alone reads and writes it
} State;

// What kernels need, by value. Vectors are [n].
typedef struct View {
  int n, start_blocks, blocks, direct_blocks;  // blocks of `start`, `advance` and `direct`
  int dot_count, iterations_max;
  int node_dof;
  const real *b, *own_blocks;
  const uint8_t *fixed;
  real *x;
  // our own
  unsigned *held;  // [unknowns of a unit][held_words]: bits of `fixed` by units, which iterations read in place of it
  int held_words;
  Preconditioner M;
  CoarseView coarse;     // of no blocks where there is none; its share of M^-1 r is not in z, but added where p is made
  real *r, *z, *p, *Ap;  // z is r itself without a preconditioner
  const real *cycled;    // with levels: what a cycle makes of r, z being D^-1 r
  double *cycle_dots;    // [blocks]: its r.z
  double *partial;       // [2][BLOCKS_MAX]: r.z, r.r
  double *dots;          // [dot_count]: p.Ap
  double *sums;          // [sum_count]: the same, or folded where they are many
  int sum_count;
  Packet *packets;     // [SUM_COPIES][iterate_blocks], what blocks of `iterate` tell each other
  int iterate_blocks;  // 0: `advance` and `direct` take its place, since vectors are larger, or z is made between them
  State *state;
  // in the host's memory, so that a graph that was made once serves any tolerance: `begin` reads it, once a solve
  const volatile double *relative;
  const volatile int *stop;
  const int *wanted;  // of a recorded solve, see SolverInputs; else NULL
} View;

// the device's clock, ns
static __device__ __forceinline__ unsigned long long now_ns(void) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// sum over the block's threads, in a fixed tree; every thread gets it
static __device__ double block_sum(double value) {
  __shared__ double warps[BLOCK / 32];
  __syncthreads();  // the last call's readers are through
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (int w = 0; w < BLOCK / 32; w++) sum += warps[w];
  return sum;
}

// sum of all blocks' partial sums, the same bits in every block
static __device__ double grid_sum(const double *partial, int blocks) {
  double value = 0;
#pragma unroll 8
  for (int k = threadIdx.x; k < blocks; k += BLOCK) value += partial[k];
  return block_sum(value);
}

// The coarse space's share of r.z; less than 0 only by rounding, and then there is none.
static __device__ __forceinline__ double coarse_dot(const View &v) {
  return grid_sum(v.coarse.dots, v.coarse.product_blocks);
}

// r = b, z = M^-1 r, p = z, x = 0, and the partial sums of r.z and r.r. A thread takes the unknowns that are
// preconditioned together.
template <int WIDTH>
static __global__ void __launch_bounds__(BLOCK) start_kernel(View v) {
  if (v.wanted && !*v.wanted) return;
  enum { UNIT = WIDTH > 0 ? WIDTH : 1, TRIANGLE = WIDTH * (WIDTH + 1) / 2 };
  double rz = 0, rr = 0;
  const int units = v.n / UNIT;
  for (int first = blockIdx.x * BLOCK; first < units; first += gridDim.x * BLOCK) {
    const int unit = first + threadIdx.x;
#pragma unroll
    for (int k = 0; k < UNIT; k++) {  // by whole warps
      const unsigned held = __ballot_sync(0xffffffff, unit < units && v.fixed[unit * UNIT + k]);
      if (unit < units && threadIdx.x % 32 == 0) v.held[k * v.held_words + unit / 32] = held;
    }
    if (unit >= units) continue;
    real inverse[INVERSE_VALUES_MAX], r[UNIT], z[UNIT];
    invert_unit(WIDTH, v.node_dof, v.own_blocks, unit, inverse);
#pragma unroll
    for (int k = 0; k < TRIANGLE; k++) v.M.inverse[(size_t)k * v.M.block_count + unit] = inverse[k];
#pragma unroll
    for (int k = 0; k < UNIT; k++) r[k] = v.fixed[unit * UNIT + k] ? (real)0 : v.b[unit * UNIT + k];
    precondition(WIDTH, inverse, r, z);
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
      const int i = unit * UNIT + k;
      if (WIDTH > 1 && v.fixed[i]) z[k] = 0;
      v.r[i] = r[k], v.p[i] = z[k], v.x[i] = 0;
      if (WIDTH > 0) v.z[i] = z[k];
      rz += (double)r[k] * z[k];
      rr += (double)r[k] * r[k];
    }
  }
  rz = block_sum(rz);
  rr = block_sum(rr);
  if (threadIdx.x == 0) v.partial[blockIdx.x] = rz, v.partial[BLOCKS_MAX + blockIdx.x] = rr;
}

// the scalars of the first iteration; one block
static __global__ void __launch_bounds__(BLOCK) begin_kernel(View v, cudaGraphConditionalHandle handle) {
  const double relative = threadIdx.x == 0 ? *v.relative : 0;  // on its way across the bus while sums are taken
  const double rz = grid_sum(v.partial, v.start_blocks), rr = grid_sum(v.partial + BLOCKS_MAX, v.start_blocks);
  const double coarse = v.coarse.product_blocks > 0 ? coarse_dot(v) : 0;
  const double cycled = v.cycled ? grid_sum(v.cycle_dots, v.start_blocks) : 0;
  if (threadIdx.x != 0) return;
  State *s = v.state;
  if (v.wanted && !*v.wanted) {
    s->done = 1;
    if (handle) cudaGraphSetConditional(handle, 0);
    return;
  }
  s->rz = rz + (coarse > 0 ? coarse : 0);
  s->plain = s->plain_last = 0;
  if (v.cycled) {
    s->plain = s->plain_last = !(cycled > 0) || !isfinite(cycled);
    s->rz = s->plain ? rz : cycled;
  }
  s->rr0 = rr;
  s->bound = relative * relative * rr;
  s->done = rr == 0 || !isfinite(rr);
  s->first = 1;
  s->report.iterations = 0;
  s->report.end = rr == 0 ? SOLVER_CONVERGED : isfinite(rr) ? SOLVER_OUT_OF_ITERATIONS : SOLVER_BROKEN;
  s->report.relative_residual = rr == 0 ? 0 : 1;
  s->report.product_ms = 0;
  s->product_began = now_ns();
  if (handle) cudaGraphSetConditional(handle, !s->done);
}

// p += P y, after the start
static __global__ void __launch_bounds__(BLOCK) add_coarse_kernel(View v) {
  if (!(coarse_dot(v) > 0)) return;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK)
    if (!v.fixed[i]) v.p[i] += coarse_moved(v.coarse, i);
}

// p = what the cycle made, after the start
static __global__ void __launch_bounds__(BLOCK) take_cycle_kernel(View v) {
  if (v.state->plain) return;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK) v.p[i] = v.cycled[i];
}

// What one thread holds of a unit's vectors, loaded before the sums that decide what becomes of them are there.
template <int WIDTH>
struct Held {
  enum { UNIT = WIDTH > 0 ? WIDTH : 1, TRIANGLE = WIDTH * (WIDTH + 1) / 2 };
  real x[UNIT], r[UNIT], p[UNIT], Ap[UNIT], inverse[TRIANGLE > 0 ? TRIANGLE : 1];
  bool fixed[UNIT];
};

// STREAMS: x and the inverse, which nothing else reads before the next iteration, are the first to leave the cache
template <int WIDTH, bool STREAMS>
static __device__ __forceinline__ Held<WIDTH> hold(const View &v, int unit) {
  enum { UNIT = Held<WIDTH>::UNIT, TRIANGLE = Held<WIDTH>::TRIANGLE };
  Held<WIDTH> h = {};
  if (unit < 0 || unit >= v.n / UNIT) return h;
#pragma unroll
  for (int k = 0; k < UNIT; k++) {
    const int i = unit * UNIT + k;
    h.x[k] = apply_once<STREAMS>(v.x + i), h.r[k] = v.r[i], h.p[k] = v.p[i], h.Ap[k] = v.Ap[i];
    h.fixed[k] = v.held[k * v.held_words + unit / 32] >> unit % 32 & 1;
  }
#pragma unroll
  for (int k = 0; k < TRIANGLE; k++)
    h.inverse[k] = apply_once<STREAMS>(v.M.inverse + (size_t)k * v.M.block_count + unit);
  return h;
}

// x += alpha p, r -= alpha Ap, z = M^-1 r of a unit, and its share of the sums r.z and r.r
template <int WIDTH, bool STREAMS>
static __device__ __forceinline__ void advance_unit(const View &v, int unit, const Held<WIDTH> &h, real alpha,
                                                    bool stop, bool finite, double *rz, double *rr) {
  enum { UNIT = Held<WIDTH>::UNIT };
  real r[UNIT], z[UNIT];
#pragma unroll
  for (int k = 0; k < UNIT; k++) r[k] = h.fixed[k] ? (real)0 : stop ? h.r[k] : h.r[k] - alpha * h.Ap[k];
  precondition(WIDTH, h.inverse, r, z);
#pragma unroll
  for (int k = 0; k < UNIT; k++) {
    const int i = unit * UNIT + k;
    if (WIDTH > 1 && h.fixed[k]) z[k] = 0;
    const real x = finite ? h.x[k] + alpha * h.p[k] : h.x[k];
    if (STREAMS)
      __stcs(v.x + i, x);
    else
      v.x[i] = x;
    v.r[i] = r[k];
    if (WIDTH > 0) v.z[i] = z[k];
    *rz += (double)r[k] * z[k];
    *rr += (double)r[k] * r[k];
  }
}

// Counts an iteration that has left r.r, and decides whether it was the last; one thread.
static __device__ __forceinline__ void end_iteration(const View &v, double rr) {
  State *s = v.state;
  const bool converged = rr <= s->bound;
  s->report.iterations++;
  if (converged) s->report.end = SOLVER_CONVERGED;
  s->done = converged || s->report.iterations >= v.iterations_max || rr != rr;
  if (!s->done && s->report.iterations % LOOK == 0 && *v.stop) s->report.end = SOLVER_STOPPED, s->done = 1;
}

// A block's unknown k of a slice of nodes, or -1.
static __device__ __forceinline__ int slice_unknown(const CoarseView &c, int slice, int k) {
  const int first = c.slice[slice], count = c.slice[slice + 1] - first;
  return k < count * c.dof ? c.member[first + k / c.dof] * c.dof + k % c.dof : -1;
}

// The same of all, and the partial sums; COARSE: slice by slice, with P^T r
template <int WIDTH, bool TIMED, bool COARSE, bool STREAMS>
static __global__ void __launch_bounds__(BLOCK) advance_kernel(View v) {
  enum { UNIT = Held<WIDTH>::UNIT };
  static_assert((int)BLOCK == (int)COARSE_BLOCK && (!COARSE || WIDTH == 1), "a thread takes an unknown of a slice");
  State *s = v.state;
  int slice = blockIdx.x,
      unit = COARSE ? slice_unknown(v.coarse, slice, threadIdx.x) : blockIdx.x * BLOCK + threadIdx.x;
  wait_for_last();
  let_next_begin();
  // the one thread that times the product reads what it needs with all else: a load of its own would be waited for
  const bool times = TIMED && blockIdx.x == 0 && threadIdx.x == 0;
  const unsigned long long ended = times ? now_ns() : 0, began = times ? s->product_began : 0;
  const double product_ms = times ? s->report.product_ms : 0;
  Held<WIDTH> h = hold<WIDTH, STREAMS>(v, unit);
  if (s->done) return;
  const double rz_last = s->rz, pAp = grid_sum(v.sums, v.sum_count);
  if (times) s->report.product_ms = product_ms + (ended > began ? 1e-6 * (double)(ended - began) : 0);
  const bool finite = isfinite(pAp), stop = !(pAp > 0) || !finite, first = s->first;
  const real alpha = stop ? (real)(first && finite ? 1 : 0) : (real)(rz_last / pAp);
  double rz = 0, rr = 0;
  if (COARSE) {
    for (; slice < v.coarse.slice_count; slice += gridDim.x) {
      const bool begun = slice == (int)blockIdx.x;  // with h
      for (int k = threadIdx.x; (unit = slice_unknown(v.coarse, slice, k)) >= 0; k += BLOCK)
        advance_unit<WIDTH, STREAMS>(v, unit, begun && k < BLOCK ? h : hold<WIDTH, STREAMS>(v, unit), alpha, stop,
                                     finite, &rz, &rr);
      __syncthreads();  // all of the slice's r is there
      coarse_restrict_slice(v.coarse, slice, v.r);
    }
  } else {
    while (unit < v.n / UNIT) {
      const int following = unit + gridDim.x * BLOCK;
      // on its way while this one is written, unless that takes too many registers
      const Held<WIDTH> next = hold<WIDTH, STREAMS>(v, WIDTH > 1 ? -1 : following);
      advance_unit<WIDTH, STREAMS>(v, unit, h, alpha, stop, finite, &rz, &rr);
      unit = following, h = WIDTH > 1 ? hold<WIDTH, STREAMS>(v, following) : next;
    }
  }
  rz = block_sum(rz);
  rr = block_sum(rr);
  if (threadIdx.x != 0) return;
  v.partial[blockIdx.x] = rz, v.partial[BLOCKS_MAX + blockIdx.x] = rr;
  if (blockIdx.x == 0) {
    s->rz_last = rz_last;
    s->plain_last = s->plain;
    if (stop) s->report.end = finite ? SOLVER_INDEFINITE : SOLVER_BROKEN;
  }
}

// sums of a product's sums
static __global__ void __launch_bounds__(BLOCK) fold_kernel(View v) {
  if (v.state->done) return;
  double value = 0;
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < v.dot_count; k += gridDim.x * BLOCK) value += v.dots[k];
  value = block_sum(value);
  if (threadIdx.x == 0) v.sums[blockIdx.x] = value;
}

// r.z in place of what was left of it, once sweeps have made z; at the start also p = z
static __global__ void __launch_bounds__(BLOCK) dot_kernel(View v, bool starts) {
  if (!starts && v.state->done) return;
  double rz = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK) {
    const real z = v.z[i];
    rz += (double)v.r[i] * z;
    if (starts) v.p[i] = z;
  }
  rz = block_sum(rz);
  if (threadIdx.x == 0) v.partial[blockIdx.x] = rz;
}

// r.z of a cycle
static __global__ void __launch_bounds__(BLOCK) cycle_dot_kernel(View v, bool starts) {
  if (!starts && v.state->done) return;
  double rz = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK) rz += (double)v.r[i] * v.cycled[i];
  rz = block_sum(rz);
  if (threadIdx.x == 0) v.cycle_dots[blockIdx.x] = rz;
}

// p = z + beta p, COARSE: + P y, CYCLED: z is the cycle's, while its r.z is positive; and whether to go on
template <bool TIMED, bool COARSE, bool CYCLED>
static __global__ void __launch_bounds__(BLOCK) direct_kernel(View v, cudaGraphConditionalHandle handle) {
  State *s = v.state;
  int i = blockIdx.x * BLOCK + threadIdx.x;
  wait_for_last();
  let_next_begin();
  real p = i < v.n ? v.p[i] : (real)0, z = i < v.n ? v.z[i] : (real)0;
  real cycled = CYCLED && i < v.n ? v.cycled[i] : (real)0;
  if (s->done) return;
  const double rz_last = s->rz_last, rr = grid_sum(v.partial + BLOCKS_MAX, v.blocks);
  const double coarse = COARSE ? coarse_dot(v) : 0;
  double rz = grid_sum(v.partial, v.blocks) + (coarse > 0 ? coarse : 0);
  bool plain = false, turned = false;  // the second: the preconditioner is another one, which begins anew
  if (CYCLED) {
    const bool was_plain = s->plain_last;
    const double dot = grid_sum(v.cycle_dots, v.blocks);
    plain = was_plain || !(dot > 0) || !isfinite(dot);
    turned = plain != was_plain;
    if (!plain) rz = dot;
  }
  const real beta = turned ? (real)0 : (real)(rz / rz_last);
  while (i < v.n) {
    const int following = i + gridDim.x * BLOCK;
    const real next_p = following < v.n ? v.p[following] : (real)0, next_z = following < v.n ? v.z[following] : (real)0;
    if (CYCLED && !plain) z = cycled;
    if (COARSE && coarse > 0 && !(v.held[i / 32] >> i % 32 & 1)) z += coarse_moved(v.coarse, i);
    v.p[i] = z + beta * p;
    i = following, p = next_p, z = next_z;
    if (CYCLED && i < v.n) cycled = v.cycled[i];
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  // blocks that start later see `done` and leave: nobody reads p again
  s->rz = rz;
  if (CYCLED) s->plain = plain;
  s->first = 0;
  s->report.relative_residual = sqrt(rr / s->rr0);
  if (s->report.end == SOLVER_INDEFINITE || s->report.end == SOLVER_BROKEN) {
    s->done = 1;
  } else {
    end_iteration(v, rr);
  }
  if (handle) cudaGraphSetConditional(handle, !s->done);
  if (TIMED) s->product_began = now_ns();
}
