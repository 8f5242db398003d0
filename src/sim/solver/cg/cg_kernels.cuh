// Data of conjugate gradients on the GPU (cg.cu), and the kernels of an iteration. A unit is the unknowns of one
// diagonal block of the preconditioner: one unknown, or all unknowns of a node. Sums over all unknowns need two
// kernels: each thread block of the first writes a partial sum, and each of the second adds all partial sums.
#pragma once
#include "base/real.h"
#include "device/clock.cuh"
#include "device/overlap.cuh"
#include "device/packet.cuh"
#include "sim/operator/formats/apply.cuh"
#include "sim/solver/multigrid/coarse.cuh"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"

// BLOCK: threads per thread block. BLOCKS_MAX: max number of thread blocks of a kernel. POLL_PERIOD: iterations between
// two reads of the host's stop flag. A read crosses the bus and takes a third of the time of an iteration, so all reads
// together take less than 1 % of a solve.
enum { BLOCK = 256, BLOCKS_MAX = 512, POLL_PERIOD = 128 };

// Scalars of a solve, on the device. The kernel `advance` updates x, r and z, and the kernel `direct` then updates p.
// Thread blocks run in any order. So no kernel may read a member that it writes, except `done`. The kernel `iterate`,
// which replaces these two kernels, writes the members after all its thread blocks have read them.
typedef struct State {
  double rz;       // r.z of the present residual r, with z = M^-1 r; written by `direct`, read by `advance`
  double rz_last;  // r.z of the previous residual r; written by `advance`, read by `direct`
  // done: 1 if the solve has ended. first: 1 until an iteration is complete. `begin` and `direct` write them.
  int done, first;
  // plain: with multigrid, 1 if the diagonal D of A replaces the multigrid cycle in the rest of the solve, because the
  // cycle gave r.z <= 0. `direct` writes `plain`; plain_last: value of `plain` in the previous iteration.
  int plain, plain_last;
  double bound;         // the solve has converged if r.r <= bound
  double rr0;           // b.b over the free unknowns: r.r at the start
  SolverReport report;  // result of the solve, copied to the host at its end
  // Time at which the kernel before the product A p ended, ns.
  unsigned long long product_began;
  unsigned tag;  // number of the last exchange of r.z and r.r between the thread blocks of the kernel `iterate`
} State;

// Argument of all kernels: addresses and sizes. x, r, z, p, Ap, b and `fixed` are [n], one element per unknown.
typedef struct View {
  // n: number of unknowns. start_blocks, blocks, direct_blocks: thread blocks of kernels `start`, `advance`, `direct`.
  int n, start_blocks, blocks, direct_blocks;
  int dot_count, iterations_max;    // length of `dots`; max number of iterations
  int node_dof;                     // unknowns per node
  const real *b, *diagonal_blocks;  // right-hand side; diagonal blocks of A, [nodes][node_dof^2]
  const uint8_t *fixed;             // 1: the unknown is fixed, and its x is 0
  real *x;                          // output: the solution x

  // [unknowns of a diagonal block of M][held_words]: the flags `fixed` as bits, so that iterations read fewer bytes.
  // Bit j of row k is set if unknown k of diagonal block j is fixed.
  unsigned *held;
  int held_words;    // words of 32 bits in a row of `held`
  Preconditioner M;  // M^-1: inverses of diagonal blocks of A
  // The coarse space of the preconditioner, rigid motions of groups of nodes (coarse.h); product_blocks is 0 if there
  // is none. The coarse space's part of M^-1 r is not stored in z, but is added when p is computed.
  CoarseView coarse;
  real *r, *z, *p, *Ap;  // residual, M^-1 r, search direction, A p; without a preconditioner z is r
  const real *cycled;    // with multigrid: M^-1 r, the result of the cycle; `z` has D^-1 r then
  double *cycle_dots;    // [blocks]: with multigrid, partial sums of r.z for z = `cycled`
  double *partial;       // [2][BLOCKS_MAX]: partial sums of r.z, then of r.r, one per thread block
  double *dots;          // [dot_count]: partial sums of p.Ap, which a product writes
  double *sums;          // [sum_count]: partial sums of p.Ap: `dots`, or fewer sums from the kernel `fold`
  int sum_count;         // length of `sums`
  // [SUM_COPIES][iterate_blocks], sums r.z and r.r, which thread blocks of `iterate` send each other
  Packet *packets;
  // Number of thread blocks of the kernel `iterate`, which replaces `advance` and `direct`. 0: `iterate` is not used.
  int iterate_blocks;
  State *state;  // scalars of the solve, on the device
  // The tolerance SolverSystem.relative, in host memory; on the device if the solve is part of another CUDA graph
  // (SolverInputs). The kernel `begin` reads it once per solve, so a recorded graph works for every tolerance.
  const volatile double *relative;
  const volatile int *stop;  // in host memory; 1: the host requests the end of the solve
  const int *wanted;         // if *wanted is 0, the solve is skipped; NULL: the solve is never skipped
} View;

// Sums `value` over the threads of a thread block in a fixed order; every thread gets the sum.
static __device__ double block_sum(double value) {
  __shared__ double warps[BLOCK / 32];
  __syncthreads();  // all threads have read `warps` of the previous call
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (int w = 0; w < BLOCK / 32; w++) sum += warps[w];
  return sum;
}

// Returns the sum of partial [blocks], the partial sums of an earlier kernel. Every thread block gets the same bits.
static __device__ double grid_sum(const double *partial, int blocks) {
  double value = 0;
#pragma unroll 8
  for (int k = threadIdx.x; k < blocks; k += BLOCK) value += partial[k];
  return block_sum(value);
}

// Returns the part of r.z that comes from the coarse space (rigid motions of groups of nodes). If rounding makes this
// part negative, the coarse space is not used in this iteration.
static __device__ __forceinline__ double coarse_dot(const View &v) {
  return grid_sum(v.coarse.dots, v.coarse.product_blocks);
}

// Sets r = b, z = M^-1 r, p = z and x = 0, and writes partial sums of r.z and r.r. A thread processes one unit at a
// time, the unknowns of one diagonal block.
template <int WIDTH>
static __global__ void __launch_bounds__(BLOCK) start_kernel(View v) {
  if (v.wanted && !*v.wanted) return;
  enum { UNIT = WIDTH > 0 ? WIDTH : 1, TRIANGLE = WIDTH * (WIDTH + 1) / 2 };
  double rz = 0, rr = 0;
  const int units = v.n / UNIT;
  for (int first = blockIdx.x * BLOCK; first < units; first += gridDim.x * BLOCK) {
    const int unit = first + threadIdx.x;
#pragma unroll
    for (int k = 0; k < UNIT; k++) {  // __ballot_sync needs all threads of a warp
      const unsigned held = __ballot_sync(0xffffffff, unit < units && v.fixed[unit * UNIT + k]);
      if (unit < units && threadIdx.x % 32 == 0) v.held[k * v.held_words + unit / 32] = held;
    }
    if (unit >= units) continue;
    real inverse[INVERSE_VALUES_MAX], r[UNIT], z[UNIT];
    invert_unit(WIDTH, v.node_dof, v.diagonal_blocks, unit, inverse);
#pragma unroll
    for (int k = 0; k < TRIANGLE; k++) v.M.inverse[(size_t)k * v.M.block_count + unit] = inverse[k];
#pragma unroll
    for (int k = 0; k < UNIT; k++) r[k] = v.fixed[unit * UNIT + k] ? (real)0 : v.b[unit * UNIT + k];
    precondition(WIDTH, inverse, r, z);
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
      const int i = unit * UNIT + k;
      if (WIDTH > 1 && v.fixed[i]) z[k] = 0;
      v.r[i] = r[k];
      v.p[i] = z[k];
      v.x[i] = 0;
      if (WIDTH > 0) v.z[i] = z[k];
      rz += (double)r[k] * z[k];
      rr += (double)r[k] * r[k];
    }
  }

  rz = block_sum(rz);
  rr = block_sum(rr);
  if (threadIdx.x == 0) {
    v.partial[blockIdx.x] = rz;
    v.partial[BLOCKS_MAX + blockIdx.x] = rr;
  }
}

// Sets the scalars of a solve (State) for the first iteration, from the sums of start_kernel. Runs as one thread block.
static __global__ void __launch_bounds__(BLOCK) begin_kernel(View v, cudaGraphConditionalHandle handle) {
  const double relative = threadIdx.x == 0 ? *v.relative : 0;  // read over the bus, while sums are computed
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

// Adds the coarse part of M^-1 r, rigid motions of groups of nodes, to p. Runs once, after begin_kernel.
static __global__ void __launch_bounds__(BLOCK) add_coarse_kernel(View v) {
  if (!(coarse_dot(v) > 0)) return;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK)
    if (!v.fixed[i]) v.p[i] += coarse_moved(v.coarse, i);
}

// Sets the first direction p to the result of the multigrid cycle. Runs once, after begin_kernel.
static __global__ void __launch_bounds__(BLOCK) take_cycle_kernel(View v) {
  if (v.state->plain) return;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK) v.p[i] = v.cycled[i];
}

// A thread's copy of the vectors at one unit, the unknowns of one diagonal block. It is loaded early, before the sums
// from which alpha is computed.
template <int WIDTH>
struct Held {
  enum { UNIT = WIDTH > 0 ? WIDTH : 1, TRIANGLE = WIDTH * (WIDTH + 1) / 2 };
  real x[UNIT], r[UNIT], p[UNIT], Ap[UNIT], inverse[TRIANGLE > 0 ? TRIANGLE : 1];
  bool fixed[UNIT];
};

// Loads the vectors at one unit, the unknowns of one diagonal block. With STREAMS, x and M^-1 are loaded with a hint to
// evict them from the cache first, because an iteration reads them once.
template <int WIDTH, bool STREAMS>
static __device__ __forceinline__ Held<WIDTH> hold(const View &v, int unit) {
  enum { UNIT = Held<WIDTH>::UNIT, TRIANGLE = Held<WIDTH>::TRIANGLE };
  Held<WIDTH> h = {};
  if (unit < 0 || unit >= v.n / UNIT) return h;
#pragma unroll
  for (int k = 0; k < UNIT; k++) {
    const int i = unit * UNIT + k;
    h.x[k] = apply_once<STREAMS>(v.x + i);
    h.r[k] = v.r[i];
    h.p[k] = v.p[i];
    h.Ap[k] = v.Ap[i];
    h.fixed[k] = v.held[k * v.held_words + unit / 32] >> unit % 32 & 1;
  }
#pragma unroll
  for (int k = 0; k < TRIANGLE; k++)
    h.inverse[k] = apply_once<STREAMS>(v.M.inverse + (size_t)k * v.M.block_count + unit);
  return h;
}

// Computes x += alpha p, r -= alpha Ap and z = M^-1 r for one unit, the unknowns of one diagonal block. Adds the unit's
// r.z and r.r to *rz and *rr. With `stop` (p.Ap <= 0 or not finite), r does not change; if p.Ap is not `finite`, x does
// not change either.
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

// Counts a complete iteration; `rr` is the r.r that it has reached. Ends the solve if it has converged or must stop.
// Only one thread calls this function.
static __device__ __forceinline__ void end_iteration(const View &v, double rr) {
  State *s = v.state;
  const bool converged = rr <= s->bound;
  s->report.iterations++;
  if (converged) s->report.end = SOLVER_CONVERGED;
  s->done = converged || s->report.iterations >= v.iterations_max || rr != rr;
  if (!s->done && s->report.iterations % POLL_PERIOD == 0 && *v.stop) {
    s->report.end = SOLVER_STOPPED;
    s->done = 1;
  }
}

// Returns unknown number k (0, 1, ...) of a slice, or -1 if the slice has no such unknown. A slice consists of
// consecutive nodes in the list of one aggregate, a group of nodes with common rigid motions.
static __device__ __forceinline__ int slice_unknown(const CoarseView &c, int slice, int k) {
  const int first = c.slice[slice], count = c.slice[slice + 1] - first;
  return k < count * c.dof ? c.member[first + k / c.dof] * c.dof + k % c.dof : -1;
}

// Updates x, r and z, and writes partial sums of r.z and r.r. A thread processes one unit at a time, the unknowns of
// one diagonal block. With COARSE, a thread block processes slices, and also computes their contributions to the coarse
// residual P^T r (coarse.h). A slice is some nodes of one aggregate (group of nodes).
template <int WIDTH, bool TIMED, bool COARSE, bool STREAMS>
static __global__ void __launch_bounds__(BLOCK) advance_kernel(View v) {
  enum { UNIT = Held<WIDTH>::UNIT };
  static_assert((int)BLOCK == (int)COARSE_BLOCK && (!COARSE || WIDTH == 1), "a thread has one unknown of a slice");
  State *s = v.state;
  int slice = blockIdx.x,
      unit = COARSE ? slice_unknown(v.coarse, slice, threadIdx.x) : blockIdx.x * BLOCK + threadIdx.x;
  wait_for_last();
  let_next_begin();

  // One thread measures the time of the product A p. It loads the old times here, early, so that it waits less.
  const bool times = TIMED && blockIdx.x == 0 && threadIdx.x == 0;
  const unsigned long long ended = times ? now_ns() : 0, began = times ? s->product_began : 0;
  const double product_ms = times ? s->report.product_ms : 0;

  // Load the thread's first unit (unknowns of one diagonal block) before the sums of p.Ap, so that the loads overlap.
  Held<WIDTH> h = hold<WIDTH, STREAMS>(v, unit);
  if (s->done) return;

  // Compute p.Ap and alpha.
  const double rz_last = s->rz, pAp = grid_sum(v.sums, v.sum_count);
  if (times) s->report.product_ms = product_ms + (ended > began ? 1e-6 * (double)(ended - began) : 0);
  const bool finite = isfinite(pAp), stop = !(pAp > 0) || !finite, first = s->first;
  const real alpha = stop ? (real)(first && finite ? 1 : 0) : (real)(rz_last / pAp);

  double rz = 0, rr = 0;
  if (COARSE) {
    for (; slice < v.coarse.slice_count; slice += gridDim.x) {
      const bool begun = slice == (int)blockIdx.x;  // the values of the first slice are already in h
      for (int k = threadIdx.x; (unit = slice_unknown(v.coarse, slice, k)) >= 0; k += BLOCK)
        advance_unit<WIDTH, STREAMS>(v, unit, begun && k < BLOCK ? h : hold<WIDTH, STREAMS>(v, unit), alpha, stop,
                                     finite, &rz, &rr);
      __syncthreads();  // all threads have written their part of r
      coarse_restrict_slice(v.coarse, slice, v.r);
    }
  } else {
    while (unit < v.n / UNIT) {
      const int following = unit + gridDim.x * BLOCK;

      // Load the next unit before this one is written. Two units of WIDTH > 1 would take too many registers.
      const Held<WIDTH> next = hold<WIDTH, STREAMS>(v, WIDTH > 1 ? -1 : following);
      advance_unit<WIDTH, STREAMS>(v, unit, h, alpha, stop, finite, &rz, &rr);
      unit = following, h = WIDTH > 1 ? hold<WIDTH, STREAMS>(v, following) : next;
    }
  }

  // Write the partial sums and the state for the kernel `direct`.
  rz = block_sum(rz);
  rr = block_sum(rr);
  if (threadIdx.x != 0) return;
  v.partial[blockIdx.x] = rz;
  v.partial[BLOCKS_MAX + blockIdx.x] = rr;
  if (blockIdx.x == 0) {
    s->rz_last = rz_last;
    s->plain_last = s->plain;
    if (stop) s->report.end = finite ? SOLVER_INDEFINITE : SOLVER_BROKEN;
  }
}

// Reduces the dot_count partial sums of p.Ap, which a product has written, to sum_count partial sums.
static __global__ void __launch_bounds__(BLOCK) fold_kernel(View v) {
  if (v.state->done) return;
  double value = 0;
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < v.dot_count; k += gridDim.x * BLOCK) value += v.dots[k];
  value = block_sum(value);
  if (threadIdx.x == 0) v.sums[blockIdx.x] = value;
}

// Writes partial sums of r.z after an applied preconditioner has computed z. If `starts` (a solve begins), also sets p
// = z.
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

// Writes partial sums of r.z, where z = `cycled` is the result of the multigrid cycle. `starts`: a solve begins.
static __global__ void __launch_bounds__(BLOCK) cycle_dot_kernel(View v, bool starts) {
  if (!starts && v.state->done) return;
  double rz = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK) rz += (double)v.r[i] * v.cycled[i];
  rz = block_sum(rz);
  if (threadIdx.x == 0) v.cycle_dots[blockIdx.x] = rz;
}

// Computes the direction p = z + beta p and decides if the solve continues. COARSE: adds the coarse part of M^-1 r,
// rigid motions of groups of nodes (coarse.h), to p. CYCLED: z is the result of the multigrid cycle; after a cycle with
// r.z <= 0, it is D^-1 r in the rest of the solve (State.plain).
template <bool TIMED, bool COARSE, bool CYCLED>
static __global__ void __launch_bounds__(BLOCK) direct_kernel(View v, cudaGraphConditionalHandle handle) {
  State *s = v.state;
  int i = blockIdx.x * BLOCK + threadIdx.x;
  wait_for_last();
  let_next_begin();
  real p = i < v.n ? v.p[i] : (real)0, z = i < v.n ? v.z[i] : (real)0;
  real cycled = CYCLED && i < v.n ? v.cycled[i] : (real)0;
  if (s->done) return;

  // Compute r.z and beta.
  const double rz_last = s->rz_last, rr = grid_sum(v.partial + BLOCKS_MAX, v.blocks);
  const double coarse = COARSE ? coarse_dot(v) : 0;
  double rz = grid_sum(v.partial, v.blocks) + (coarse > 0 ? coarse : 0);
  bool plain = false, turned = false;  // turned: the preconditioner has changed, so beta is 0
  if (CYCLED) {
    const bool was_plain = s->plain_last;
    const double dot = grid_sum(v.cycle_dots, v.blocks);
    plain = was_plain || !(dot > 0) || !isfinite(dot);
    turned = plain != was_plain;
    if (!plain) rz = dot;
  }

  const real beta = turned ? (real)0 : (real)(rz / rz_last);

  // Compute the new direction p.
  while (i < v.n) {
    const int following = i + gridDim.x * BLOCK;
    const real next_p = following < v.n ? v.p[following] : (real)0, next_z = following < v.n ? v.z[following] : (real)0;
    if (CYCLED && !plain) z = cycled;
    if (COARSE && coarse > 0 && !(v.held[i / 32] >> i % 32 & 1)) z += coarse_moved(v.coarse, i);
    v.p[i] = z + beta * p;
    i = following;
    p = next_p;
    z = next_z;
    if (CYCLED && i < v.n) cycled = v.cycled[i];
  }

  // One thread ends the iteration and updates the state.
  if (blockIdx.x != 0 || threadIdx.x != 0) return;

  // After `done` is set, thread blocks that start later do not write p. p is not read after the solve.
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
