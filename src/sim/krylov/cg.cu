// Conjugate gradients on the GPU, the twin of cg.c: plain (cg), preconditioned by the diagonal (dcg), by the nodes' own
// blocks (bdcg), by the diagonal and a coarse space (schwarz), by coloured SSOR (ssor), or by levels (pmg.h). The whole
// solve is one CUDA graph: a start kernel, then a WHILE node that loops on the device until a kernel of its body says
// stop. The host decides nothing and knows nothing before the next synchronisation; it may only end a solve, by a flag
// in its own memory that `direct` looks at now and then.
//   body, UNROLL times:   Ap = A p and p.Ap (any format)     x, r, z and r.z, r.r     p
//   where a thread holds its share of the vectors:  Ap = A p and p.Ap     x, r, z, their sums and p
//   with a coarse space:  Ap = A p and p.Ap     x, r, z, their sums and P^T r     y = B P^T r     p, with P y
//   with sweeps:          Ap = A p and p.Ap     x, r and r.r     z, colour by colour     r.z     p
//   with levels:          Ap = A p and p.Ap     x, r, D^-1 r and both sums     z = cycle(r)     r.z     p
// Once `done` is set the vector kernels return at once, so an unrolled body may overshoot; the product does not know
// and is wasted at most UNROLL - 1 times a solve, against a turn of the loop (some 6 us, with what kernels then overlap
// less) saved every other time; one that does know (Operator.idle) is queued more often. Sums: each block leaves a
// partial sum in double, each block of the next kernel adds all of them up in the same fixed tree, so every block takes
// the same decision and a run repeats bit for bit.
#include <stdlib.h>

#include "base/array.h"
#include "base/real.h"
#include "device/cuda_try.h"
#include "device/overlap.cuh"
#include "device/packet.cuh"
#include "sim/krylov/coarse.cuh"
#include "sim/krylov/pmg.h"
#include "sim/krylov/preconditioner.h"
#include "sim/krylov/solver.h"
#include "sim/krylov/ssor.h"
#include "sim/operator/apply.cuh"

// Where $PLIANT_HOST_LOOP is set the host launches the same kernels one by one and asks after each body: the same bits.
// It is there to be measured against, and for compute-sanitizer: memcheck errs in the bodies of conditional nodes, and
// racecheck takes the kernels of a body for one kernel and reports races between them that cannot be.
#ifndef CG_UNROLL
#define CG_UNROLL 2
#endif

// A look at the host's flag crosses the bus and takes as long as a third of an iteration: one in LOOK costs less than 1
// %.
enum { BLOCK = 256, BLOCKS_MAX = 512, UNROLL = CG_UNROLL, UNROLL_IDLE = 8, LOOK = 128 };
// Every block of `advance` adds all of a product's sums up: where there are more of them than this, that would take
// longer than to fold them first.
enum { DOTS_MANY = 8192 };
// Of `iterate`: threads of a block, and blocks of a multiprocessor, so that registers of a thread hold HELD_MOST
// unknowns of each vector; copies of all blocks' sums, so that not all look at the same places; looks at a packet, of
// at least a third of a microsecond, before it is lost; a packet's last bits, which are its tag.
enum {
  ITERATE_BLOCK = 512,
  ITERATE_PER_UNIT = sizeof(real) == sizeof(float) ? 2 : 1,
  HELD_MOST = sizeof(real) == sizeof(float) ? 5 : 9,
  SUM_COPIES = 4,
  TRIES = 1 << 23,
  TAGS = 0xffff
};

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

typedef struct Data {
  View view;
  CoarseCuda coarse;
  bool two_levels;  // with `coarse`
  bool sweeps;      // with `ssor`
  Ssor ssor;
  bool levels;  // with `pmg`
  PmgCuda pmg;
  bool overlaps;     // `advance` and `direct` with the kernels before them
  int iterate_most;  // blocks of `iterate` that can run at once; 0: it is not for this solver
  bool streams;      // x and the inverse are the first to leave the cache: see apply_streams
  double *relative;  // pinned
  double *folded;    // [BLOCKS_MAX], View.sums where products leave many; NULL: they do not
  int room;          // unknowns that there is room for where the system's number changes; 0: those that there are
  bool moved;        // arrays of it or of the system have moved since the view was made, or have another size
  bool by_host;      // no graphs: see above
  Graph graph[2];    // the second times its products, which costs 2 % of a solve
} Data;

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

// r.z and r.r
typedef struct Sums {
  double rz, rr;
} Sums;

// The same over a block of `iterate`, in a fixed tree; every thread gets them. Warps are added up in four chains at
// a time, since all threads wait for it.
static __device__ Sums iterate_sums(Sums sums) {
  enum { WARPS = ITERATE_BLOCK / 32 };
  __shared__ Sums warps[WARPS];
  __syncthreads();  // the last call's readers are through
  for (int step = 16; step > 0; step /= 2) {
    sums.rz += __shfl_xor_sync(0xffffffff, sums.rz, step);
    sums.rr += __shfl_xor_sync(0xffffffff, sums.rr, step);
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sums;
  __syncthreads();
  Sums four[4] = {};
#pragma unroll
  for (int w = 0; w < WARPS; w++) four[w % 4].rz += warps[w].rz, four[w % 4].rr += warps[w].rr;
  return { (four[0].rz + four[1].rz) + (four[2].rz + four[3].rz),
           (four[0].rr + four[1].rr) + (four[2].rr + four[3].rr) };
}

// To all blocks: a packet has room for r.z, for all but the last 16 bits of r.r, and for the tag.
static __device__ __forceinline__ void send_sums(const View &v, Sums sums, unsigned tag) {
  if (threadIdx.x < SUM_COPIES)
    store_packet(v.packets + threadIdx.x * gridDim.x + blockIdx.x, (unsigned long long)__double_as_longlong(sums.rz),
                 ((unsigned long long)__double_as_longlong(sums.rr) & ~(unsigned long long)TAGS) | tag);
}

// The sums of all blocks, the same bits in each of them. Returns whether all have come.
static __device__ __forceinline__ bool hear_sums(const View &v, unsigned tag, Sums *sums) {
  Sums own = {};
  bool lost = false;
  if (threadIdx.x < gridDim.x) {
    const Packet *from = v.packets + blockIdx.x % SUM_COPIES * gridDim.x + threadIdx.x;
    Packet packet = load_packet(from);
    for (int tries = 0; (packet.epoch & TAGS) != tag && !lost; tries++) {
      packet = load_packet(from);
      lost = tries == TRIES;
    }
    own.rz = __longlong_as_double((long long)packet.payload);
    own.rr = __longlong_as_double((long long)(packet.epoch & ~(unsigned long long)TAGS));
  }
  lost = __syncthreads_or(lost);
  *sums = iterate_sums(own);
  return !lost;
}

// `advance` and `direct` in one kernel: all of its blocks run at once, and tell each other their sums by packets. A
// thread takes HELD units, whose r and z it keeps meanwhile, and x moves while sums are on their way.
template <int WIDTH, int HELD, bool STREAMS>
static __global__ void __launch_bounds__(ITERATE_BLOCK, ITERATE_PER_UNIT)
    iterate_kernel(View v, bool timed, cudaGraphConditionalHandle handle) {
  enum { UNIT = Held<WIDTH>::UNIT, TRIANGLE = Held<WIDTH>::TRIANGLE };
  State *s = v.state;
  const int units = v.n / UNIT, stride = gridDim.x * ITERATE_BLOCK, first = blockIdx.x * ITERATE_BLOCK + threadIdx.x;
  const bool leads = first == 0, times = timed && leads;
  wait_for_last();
  let_next_begin();
  const unsigned long long ended = times ? now_ns() : 0, began = times ? s->product_began : 0;
  real r[HELD][UNIT], z[HELD][UNIT], Ap[HELD][UNIT], inverse[HELD][TRIANGLE > 0 ? TRIANGLE : 1];
  unsigned fixed = 0;  // a bit of each unknown
#pragma unroll
  for (int j = 0; j < HELD; j++) {
    const int unit = first + j * stride;
    const bool here = unit < units;
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
      r[j][k] = here ? v.r[unit * UNIT + k] : (real)0, Ap[j][k] = here ? v.Ap[unit * UNIT + k] : (real)0;
      if (here) fixed |= (v.held[k * v.held_words + unit / 32] >> unit % 32 & 1) << (j * UNIT + k);
    }
#pragma unroll
    for (int k = 0; k < TRIANGLE; k++)
      inverse[j][k] = here ? apply_once<STREAMS>(v.M.inverse + (size_t)k * v.M.block_count + unit) : (real)0;
  }
  if (s->done) return;
  const double rz_last = s->rz;
  const unsigned tag = s->tag % TAGS + 1;  // never 0, which is what fresh memory holds
  const bool is_first = s->first;
  Sums sums = {};
#pragma unroll 4
  for (int k = threadIdx.x; k < v.sum_count; k += ITERATE_BLOCK) sums.rz += v.sums[k];
  const double pAp = iterate_sums(sums).rz;
  const bool finite = isfinite(pAp), stop = !(pAp > 0) || !finite;
  const real alpha = stop ? (real)(is_first && finite ? 1 : 0) : (real)(rz_last / pAp);
  sums = {};
#pragma unroll
  for (int j = 0; j < HELD; j++) {
#pragma unroll
    for (int k = 0; k < UNIT; k++)
      r[j][k] = fixed >> (j * UNIT + k) & 1 ? (real)0 : stop ? r[j][k] : r[j][k] - alpha * Ap[j][k];
    precondition(WIDTH, inverse[j], r[j], z[j]);
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
      if (WIDTH > 1 && fixed >> (j * UNIT + k) & 1) z[j][k] = 0;
      sums.rz += (double)r[j][k] * z[j][k];
      sums.rr += (double)r[j][k] * r[j][k];
    }
  }
  real x[HELD][UNIT], p[HELD][UNIT];
#pragma unroll
  for (int j = 0; j < HELD; j++) {
    const int unit = first + j * stride;
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
      p[j][k] = unit < units ? v.p[unit * UNIT + k] : (real)0;
      x[j][k] = unit < units ? apply_once<STREAMS>(v.x + unit * UNIT + k) : (real)0;
    }
  }
  sums = iterate_sums(sums);
  send_sums(v, sums, tag);
#pragma unroll
  for (int j = 0; j < HELD; j++) {
    const int unit = first + j * stride;
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
      const real moved = finite ? x[j][k] + alpha * p[j][k] : x[j][k];
      if (unit >= units) continue;
      v.r[unit * UNIT + k] = r[j][k];
      if (STREAMS)
        __stcs(v.x + unit * UNIT + k, moved);
      else
        v.x[unit * UNIT + k] = moved;
    }
  }
  if (!hear_sums(v, tag, &sums)) {
    if (threadIdx.x != 0) return;
    s->report.end = SOLVER_LOST, s->done = 1;
    if (handle) cudaGraphSetConditional(handle, 0);
    return;
  }
  const real beta = (real)(sums.rz / rz_last);
#pragma unroll
  for (int j = 0; j < HELD; j++) {
    const int unit = first + j * stride;
#pragma unroll
    for (int k = 0; k < UNIT; k++)
      if (unit < units) v.p[unit * UNIT + k] = z[j][k] + beta * p[j][k];
  }
  if (!leads) return;
  // all blocks have read what is written from here on: their sums have come
  s->rz = sums.rz, s->tag = tag, s->first = 0;
  s->report.relative_residual = sqrt(sums.rr / s->rr0);
  if (times && ended > began) s->report.product_ms += 1e-6 * (double)(ended - began);
  if (stop) {
    s->report.end = finite ? SOLVER_INDEFINITE : SOLVER_BROKEN;
    s->done = 1;
  } else {
    end_iteration(v, sums.rr);
  }
  if (handle) cudaGraphSetConditional(handle, !s->done);
  if (times) s->product_began = now_ns();
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

static void destroy_data(Solver *solver) {
  Data *d = (Data *)solver->data;
  device_free_pinned(DEVICE_CUDA, d->relative);
  for (int timed = 0; timed < 2; timed++) graph_destroy(&d->graph[timed]);
  const View &v = d->view;
  REAL_NAME(coarse_cuda_destroy)(&d->coarse);
  REAL_NAME(ssor_destroy)(&d->ssor);
  REAL_NAME(pmg_cuda_destroy)(&d->pmg);
  device_free(DEVICE_CUDA, d->folded);
  if (v.z != v.r) device_free(DEVICE_CUDA, v.z);
  void *arrays[] = { v.r, v.p, v.Ap, v.M.inverse, v.held, v.partial, v.dots, v.state, v.cycle_dots, v.packets };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free(d);
}

typedef void (*Kernel)(View v);

static Kernel start_of(int width) {
  static const Kernel kernels[] = { start_kernel<0>, start_kernel<1>, start_kernel<2>, start_kernel<3> };
  return kernels[width];
}

template <int WIDTH, bool COARSE>
static Kernel advance_by(bool timed, bool streams) {
  if (streams) return timed ? advance_kernel<WIDTH, true, COARSE, true> : advance_kernel<WIDTH, false, COARSE, true>;
  return timed ? advance_kernel<WIDTH, true, COARSE, false> : advance_kernel<WIDTH, false, COARSE, false>;
}

static Kernel advance_of(const Data *d, bool timed) {
  const int width = d->view.M.width;
  if (d->two_levels) return advance_by<1, true>(timed, d->streams);
  return width == 0   ? advance_by<0, false>(timed, d->streams)
         : width == 1 ? advance_by<1, false>(timed, d->streams)
         : width == 2 ? advance_by<2, false>(timed, d->streams)
                      : advance_by<3, false>(timed, d->streams);
}

typedef void (*DirectKernel)(View v, cudaGraphConditionalHandle handle);

static DirectKernel direct_of(bool timed, bool two_levels, bool levels) {
  if (levels) return timed ? direct_kernel<true, false, true> : direct_kernel<false, false, true>;
  if (two_levels) return timed ? direct_kernel<true, true, false> : direct_kernel<false, true, false>;
  return timed ? direct_kernel<true, false, false> : direct_kernel<false, false, false>;
}

typedef void (*IterateKernel)(View v, bool timed, cudaGraphConditionalHandle handle);

template <int WIDTH>
static IterateKernel iterate_by(bool many, bool streams) {
  enum { MANY = (HELD_MOST - 1) / Held<WIDTH>::UNIT + 1 };
  if (!many) return streams ? iterate_kernel<WIDTH, 1, true> : iterate_kernel<WIDTH, 1, false>;
  return streams ? iterate_kernel<WIDTH, MANY, true> : iterate_kernel<WIDTH, MANY, false>;
}

// `many`: a thread takes more than one unit
static IterateKernel iterate_of(const Data *d, bool many) {
  const int width = d->view.M.width;
  return width == 0   ? iterate_by<0>(many, d->streams)
         : width == 1 ? iterate_by<1>(many, d->streams)
         : width == 2 ? iterate_by<2>(many, d->streams)
                      : iterate_by<3>(many, d->streams);
}

// `v`: the view of d, or that of a recorded solve
static bool launch_start(const Data *d, const View *v, cudaGraphConditionalHandle handle, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  start_of(v->M.width)<<<v->start_blocks, BLOCK, 0, s>>>(*v);
  CUDA_TRY(cudaGetLastError());
  if (d->two_levels && (!REAL_NAME(coarse_cuda_restrict)(&d->coarse, v->r, s, error) ||
                        !REAL_NAME(coarse_cuda_solve)(&d->coarse, NULL, s, error)))
    return false;
  if (d->sweeps) {
    if (!REAL_NAME(ssor_apply_cuda)(&d->ssor, v->r, v->z, NULL, s, error)) return false;
    dot_kernel<<<v->start_blocks, BLOCK, 0, s>>>(*v, true);
    CUDA_TRY(cudaGetLastError());
  }
  if (d->levels) {
    if (!REAL_NAME(pmg_cuda_cycle)(&d->pmg, v->r, NULL, stream, error)) return false;
    cycle_dot_kernel<<<v->start_blocks, BLOCK, 0, s>>>(*v, true);
    CUDA_TRY(cudaGetLastError());
  }
  begin_kernel<<<1, BLOCK, 0, s>>>(*v, handle);
  CUDA_TRY(cudaGetLastError());
  if (d->levels) take_cycle_kernel<<<v->direct_blocks, BLOCK, 0, s>>>(*v);
  CUDA_TRY(cudaGetLastError());
  if (d->two_levels) add_coarse_kernel<<<v->direct_blocks, BLOCK, 0, s>>>(*v);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool launch_body(const Operator *A, const Data *d, const View *v, bool timed, cudaGraphConditionalHandle handle,
                        Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  Operator products = *A;
  products.idle = &v->state->done;
  // of a long body a wasted part costs more than a turn of the loop, as of a small system more than of a large one
  const bool many = v->iterate_blocks && v->n / preconditioner_unit(v->M.width) > v->iterate_blocks * ITERATE_BLOCK;
  const bool idles = A->method->idles && v->iterate_blocks;
  const int times = d->levels ? 1 : !idles ? UNROLL : many ? UNROLL_IDLE : UNROLL_IDLE / 2;
  for (int k = 0; k < times; k++) {
    if (!operator_apply(&products, v->p, v->Ap, v->dots, stream, error)) return false;
    if (v->sums != v->dots) fold_kernel<<<v->sum_count, BLOCK, 0, s>>>(*v);
    CUDA_TRY(cudaGetLastError());
    if (v->iterate_blocks) {
      CUDA_TRY(overlap_launch_together(d->overlaps, iterate_of(d, many), v->iterate_blocks, ITERATE_BLOCK, s, *v, timed,
                                       handle));
      continue;
    }
    CUDA_TRY(overlap_launch(d->overlaps, advance_of(d, timed), v->blocks, BLOCK, s, *v));
    if (d->two_levels && !REAL_NAME(coarse_cuda_solve)(&d->coarse, &v->state->done, s, error)) return false;
    if (d->sweeps) {
      if (!REAL_NAME(ssor_apply_cuda)(&d->ssor, v->r, v->z, &v->state->done, s, error)) return false;
      dot_kernel<<<v->blocks, BLOCK, 0, s>>>(*v, false);
      CUDA_TRY(cudaGetLastError());
    }
    if (d->levels) {
      if (!REAL_NAME(pmg_cuda_cycle)(&d->pmg, v->r, &v->state->done, stream, error)) return false;
      cycle_dot_kernel<<<v->blocks, BLOCK, 0, s>>>(*v, false);
      CUDA_TRY(cudaGetLastError());
    }
    CUDA_TRY(overlap_launch(d->overlaps, direct_of(timed, d->two_levels, d->levels), v->direct_blocks, BLOCK, s, *v,
                            handle));
  }
  return true;
}

// what the preconditioner needs of the matrix as it is
static bool make(const Data *d, const SolverSystem *system, Stream stream, Error *error) {
  return d->levels ? REAL_NAME(pmg_cuda_make)(&d->pmg, system, stream, error)
                   : REAL_NAME(coarse_cuda_make)(&d->coarse, system, (cudaStream_t)stream.handle, error);
}

// what is recorded of a solve
typedef struct Recording {
  const Operator *A;
  const Data *data;
  const View *view;
  const SolverSystem *made_of;  // what the coarse matrix, or levels, are made of; NULL: kept, or there is none
  bool timed;
  uint64_t condition;
} Recording;

static bool queue_start(void *recording, Stream stream, Error *error) {
  const Recording *r = (const Recording *)recording;
  return (!r->made_of || make(r->data, r->made_of, stream, error)) &&
         launch_start(r->data, r->view, r->condition, stream, error);
}

static bool queue_body(void *recording, Stream stream, Error *error) {
  const Recording *r = (const Recording *)recording;
  return launch_body(r->A, r->data, r->view, r->timed, r->condition, stream, error);
}

static bool record_solve(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  GraphChain body;
  return graph_condition(chain, &r->condition, error) && graph_record(chain, stream, queue_start, r, error) &&
         graph_loop(chain, r->condition, &body, error) && graph_record(&body, stream, queue_body, r, error);
}

static bool build_graph(Data *d, const Operator *A, bool timed, Stream stream, Error *error) {
  Graph *graph = &d->graph[timed];
  Recording r = { A, d, &d->view, NULL, timed, 0 };
  return graph_create(graph, error) && record_solve(&r, &graph->chain, stream, error) &&
         graph_finish(graph, stream, error);
}

static int blocks_of(int threads) {
  const int blocks = threads / BLOCK + (threads % BLOCK > 0);
  return blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
}

// Blocks of `iterate`; 0: it does not suit the vectors.
static int iterate_blocks_of(const Data *d) {
  const int unit = preconditioner_unit(d->view.M.width), units = d->view.n / unit;
  const int held = (HELD_MOST - 1) / unit + 1, blocks = units / ITERATE_BLOCK + (units % ITERATE_BLOCK > 0);
  const int most = d->iterate_most < ITERATE_BLOCK ? d->iterate_most : ITERATE_BLOCK;  // a thread hears one
  return (int64_t)most * ITERATE_BLOCK * held < units ? 0 : blocks < most ? blocks : most;
}

// what follows from the system, and from how large it is
static void view_system(Data *d, const Solver *solver) {
  const SolverSystem *system = &solver->system;
  View &v = d->view;
  const int unit = preconditioner_unit(v.M.width);
  v.n = system->A->n, v.dot_count = system->A->dot_count, v.iterations_max = system->iterations_max;
  v.start_blocks = v.blocks = blocks_of(v.n / unit), v.direct_blocks = blocks_of(v.n);
  v.b = (const real *)system->b, v.own_blocks = (const real *)system->A->blocks;
  v.node_dof = system->A->space->node_dof;
  v.fixed = system->fixed, v.x = (real *)system->x, v.stop = solver->stop;
  v.M.block_count = v.n / unit, v.held_words = (v.n / unit + 31) / 32;
  v.iterate_blocks = iterate_blocks_of(d);
}

static void view_sums(Data *d) {
  View &v = d->view;
  const bool folds = v.dot_count > DOTS_MANY;
  v.sums = folds ? d->folded : v.dots, v.sum_count = folds ? blocks_of(v.dot_count) : v.dot_count;
}

static Packet *make_packets(Error *error) {
  return (Packet *)device_alloc(DEVICE_CUDA, sizeof(Packet) * SUM_COPIES * ITERATE_BLOCK, error);
}

// how many blocks of `iterate` can run at once
static bool count_iterate_blocks(Data *d, Error *error) {
  int device = 0, together = 0, blocks = 0;
  CUDA_TRY(cudaGetDevice(&device));
  CUDA_TRY(cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)iterate_of(d, true), ITERATE_BLOCK, 0));
  if (blocks > ITERATE_PER_UNIT) blocks = ITERATE_PER_UNIT;
  d->iterate_most = together ? blocks * device_multiprocessors(DEVICE_CUDA) : 0;
  return true;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  const SolverSystem *system = &solver->system;
  const int n = system->A->n, dof = system->A->space->node_dof, width = solver_width(solver->method, dof);
  const int unit = preconditioner_unit(width);
  Data *d = (Data *)array_new(1, sizeof *d, "solver data", error);
  solver->data = d;
  if (!d) return false;
  if (width > PRECONDITIONER_WIDTH_MAX)
    return error_set(error, "blocks of %d unknowns are inverted up to %d", width, PRECONDITIONER_WIDTH_MAX);
  View &v = d->view;
  v.M.width = width;
  if (!apply_streams(system->A, &d->streams, error)) return false;
  d->overlaps = overlap_is_there((const void *)advance_of(d, false));
  if (solver->method->precondition <= PRECONDITION_NODES && !count_iterate_blocks(d, error)) return false;
  view_system(d, solver);
  d->two_levels = solver->method->precondition == PRECONDITION_COARSE;
  if (d->two_levels) {
    Aggregates g;
    if (!aggregates_create(&g, system->A, NULL, 0, error)) return false;
    const bool made = REAL_NAME(coarse_cuda_create)(&d->coarse, &g, system->A, error);
    aggregates_destroy(&g);
    if (!made) return false;
    v.coarse = d->coarse.view;
    v.blocks = v.coarse.slice_count < BLOCKS_MAX ? v.coarse.slice_count : BLOCKS_MAX;
  }
  d->sweeps = solver->method->precondition == PRECONDITION_SSOR;
  if (d->sweeps && !REAL_NAME(ssor_create)(&d->ssor, system, false, error)) return false;
  d->levels = solver->method->precondition == PRECONDITION_LEVELS;
  if (d->levels) {
    v.cycle_dots = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * BLOCKS_MAX, error);
    if (!v.cycle_dots || !REAL_NAME(pmg_cuda_create)(&d->pmg, system, error)) return false;
    v.cycled = d->pmg.z;
  }
  const size_t triangles = (size_t)(width * (width + 1) / 2) * (size_t)v.M.block_count;
  v.M.inverse = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * triangles, error);
  v.held = (unsigned *)device_alloc(DEVICE_CUDA, sizeof *v.held * (size_t)v.held_words * (size_t)unit, error);
  if (!v.M.inverse || !v.held) return false;
  real **vectors[] = { &v.r, &v.p, &v.Ap, &v.z };
  for (int k = 0; k < (width || d->sweeps ? 4 : 3); k++)
    if (!(*vectors[k] = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)n, error))) return false;
  if (!v.z) v.z = v.r;
  v.partial = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * 2 * BLOCKS_MAX, error);
  v.dots = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * (size_t)v.dot_count, error);
  if (v.dot_count > DOTS_MANY && !(d->folded = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * BLOCKS_MAX, error)))
    return false;
  view_sums(d);
  v.state = (State *)device_alloc(DEVICE_CUDA, sizeof(State), error);
  v.relative = d->relative = (double *)device_alloc_pinned(DEVICE_CUDA, sizeof *d->relative, error);
  v.packets = make_packets(error);
  if (!v.partial || !v.dots || !v.sums || !v.state || !v.relative || !v.packets) return false;
  d->by_host = getenv("PLIANT_HOST_LOOP") != NULL;
  return d->by_host ||
         (build_graph(d, system->A, false, stream, error) && build_graph(d, system->A, true, stream, error));
}

// Where the system has another size, or lies elsewhere: vectors, and what is recorded with their addresses. It has no
// coarse space, sweeps or levels then, which are made of the space.
static bool reserve(Solver *solver, int before, int now, Error *error) {
  Data *d = (Data *)solver->data;
  View &v = d->view;
  const int unit = preconditioner_unit(v.M.width);
  const size_t triangle = (size_t)(v.M.width * (v.M.width + 1) / 2), real_size = sizeof(real);
  const size_t units_before = (size_t)(before / unit), units = (size_t)(now / unit);
  real **vectors[] = { &v.r, &v.p, &v.Ap, &v.z };
  const bool own_z = v.z != v.r;
  bool ok = true;
  d->moved = true;
  for (int timed = 0; timed < 2; timed++) graph_destroy(&d->graph[timed]);
  for (int k = 0; ok && k < (own_z ? 4 : 3); k++)
    ok = device_grow(DEVICE_CUDA, vectors[k], real_size * (size_t)before, real_size * (size_t)now, error);
  if (!own_z) v.z = v.r;
  const size_t words_before = (units_before + 31) / 32 * (size_t)unit, words = (units + 31) / 32 * (size_t)unit;
  ok = ok &&
       device_grow(DEVICE_CUDA, &v.M.inverse, real_size * triangle * units_before, real_size * triangle * units,
                   error) &&
       device_grow(DEVICE_CUDA, &v.held, sizeof *v.held * words_before, sizeof *v.held * words, error);
  // a product leaves at most a sum of each node; nothing in these is of use later
  const size_t sums = (size_t)(now / v.node_dof);
  if (ok && now > d->room)
    ok = device_grow(DEVICE_CUDA, &v.dots, 0, sizeof *v.dots * sums, error) &&
         device_grow(DEVICE_CUDA, &d->folded, 0, sizeof *d->folded * BLOCKS_MAX, error);
  if (ok && now > d->room) d->room = now;
  if (ok) device_free(DEVICE_CUDA, v.packets), ok = v.packets = make_packets(error);  // none of another grid's are left
  return ok;
}

// the system as it is
static void follow(Data *d, const Solver *solver) {
  if (!d->moved) return;
  view_system(d, solver);
  view_sums(d);
  d->moved = false;
}

// a solve whose loop the host leads
static bool lead(const Solver *solver, const Data *d, Stream stream, Error *error) {
  State now = {};
  if (!launch_start(d, &d->view, 0, stream, error)) return false;
  do {
    if (!launch_body(solver->system.A, d, &d->view, solver->timed, 0, stream, error) ||
        !device_download(stream, &now, d->view.state, sizeof now, error) || !stream_sync(stream, error))
      return false;
  } while (!now.done);
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  Data *d = (Data *)solver->data;
  Graph *graph = &d->graph[solver->timed];
  follow(d, solver);
  if (!d->by_host && !graph->executable && !build_graph(d, solver->system.A, solver->timed, stream, error)) {
    graph_destroy(graph);
    return false;
  }
  *d->relative = solver->system.relative;  // the last solve has read its own: whoever solves again has waited for it
  if ((d->two_levels || d->levels) && !solver->keeps && !make(d, &solver->system, stream, error)) return false;
  if (!(d->by_host ? lead(solver, d, stream, error) : graph_launch(graph, stream, error))) return false;
  return device_download(stream, solver->report, &d->view.state->report, sizeof *solver->report, error);
}

static bool record(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                   Stream stream, Error *error) {
  Data *d = (Data *)solver->data;
  if (d->by_host) return error_set(error, "$PLIANT_HOST_LOOP is set");
  follow(d, solver);
  View v = d->view;
  v.relative = inputs->relative, v.wanted = inputs->wanted;
  *report = &v.state->report;
  const bool makes = (d->two_levels || d->levels) && !solver->keeps;
  Recording r = { solver->system.A, d, &v, makes ? &solver->system : NULL, false, 0 };
  return record_solve(&r, chain, stream, error);
}

extern "C" {
extern const SolverMethod REAL_NAME(cg_cuda), REAL_NAME(dcg_cuda), REAL_NAME(bdcg_cuda), REAL_NAME(schwarz_cuda),
    REAL_NAME(ssor_cuda), REAL_NAME(pmg_cuda);
const SolverMethod REAL_NAME(cg_cuda) = {
  { STAGE_SOLVER, "cg", "conjugate gradients", NULL, DEVICE_CUDA, REAL_PRECISION, false, solver_bytes },
  PRECONDITION_NONE,
  create,
  destroy_data,
  solve,
  NULL,
  NULL,
  false,
  NULL,
  NULL,
  record,
  NULL,
  NULL,
  reserve,
};
const SolverMethod REAL_NAME(dcg_cuda) = {
  { STAGE_SOLVER, "dcg", "conjugate gradients, diagonal preconditioner", NULL, DEVICE_CUDA, REAL_PRECISION, true,
    solver_bytes },
  PRECONDITION_DIAGONAL,
  create,
  destroy_data,
  solve,
  NULL,
  NULL,
  false,
  NULL,
  NULL,
  record,
  NULL,
  NULL,
  reserve,
};
const SolverMethod REAL_NAME(bdcg_cuda) = {
  { STAGE_SOLVER, "bdcg", "conjugate gradients, preconditioned by the nodes' own blocks", NULL, DEVICE_CUDA,
    REAL_PRECISION, false, solver_bytes },
  PRECONDITION_NODES,
  create,
  destroy_data,
  solve,
  NULL,
  NULL,
  false,
  NULL,
  NULL,
  record,
  NULL,
  NULL,
  reserve,
};
const SolverMethod REAL_NAME(schwarz_cuda) = {
  { STAGE_SOLVER, "schwarz", "conjugate gradients, diagonal and rigid motions of aggregates: stiff bodies", NULL,
    DEVICE_CUDA, REAL_PRECISION, false, solver_bytes },
  PRECONDITION_COARSE,
  create,
  destroy_data,
  solve,
  NULL,
  NULL,
  false,
  NULL,
  NULL,
  record,
  NULL,
  NULL,
};
const SolverMethod REAL_NAME(pmg_cuda) = {
  { STAGE_SOLVER, "pmg", "conjugate gradients, levels of degree 2, 1 and rigid motions: stiff bodies", NULL,
    DEVICE_CUDA, REAL_PRECISION, false, pmg_bytes },
  PRECONDITION_LEVELS,
  create,
  destroy_data,
  solve,
  NULL,
  NULL,
  false,
  NULL,
  NULL,
  record,
  NULL,
  NULL,
};
const SolverMethod REAL_NAME(ssor_cuda) = {
  { STAGE_SOLVER, "ssor", "conjugate gradients, coloured SSOR", NULL, DEVICE_CUDA, REAL_PRECISION, false,
    solver_bytes },
  PRECONDITION_SSOR,
  create,
  destroy_data,
  solve,
  NULL,
  NULL,
  false,
  NULL,
  NULL,
  record,
  NULL,
  NULL,
};
}
