// The kernel `iterate` of conjugate gradients on the GPU. In an iteration of the solvers cg, dcg and bdcg, it does
// everything except the product A p. Its thread blocks exchange their partial sums while they run. A thread block sends
// its sums as a packet of 16 bytes, which one instruction writes or reads. A packet contains a number, the tag, by
// which a receiver detects that the packet is new.
#pragma once
#include "sim/solver/cg/cg_kernels.cuh"

// ITERATE_BLOCK: threads per thread block. ITERATE_PER_UNIT: thread blocks per multiprocessor. HELD_MAX: unknowns of
// each vector that a thread keeps in registers; rounded up to whole diagonal blocks. SUM_COPIES: number of copies of
// its sums that each thread block sends, so that not all thread blocks read the same address. TRIES: number of reads,
// of at least a third of a microsecond each, after which a packet counts as lost. TAGS: mask of the bits of a packet
// that contain its tag.
enum {
  ITERATE_BLOCK = 512,
  ITERATE_PER_UNIT = sizeof(real) == sizeof(float) ? 2 : 1,
  HELD_MAX = sizeof(real) == sizeof(float) ? 5 : 9,
  SUM_COPIES = 4,
  TRIES = 1 << 23,
  TAGS = 0xffff
};

// The sums r.z and r.r over some unknowns, where r is the residual and z = M^-1 r.
typedef struct Sums {
  double rz, rr;
} Sums;

// Adds the sums of all threads of a thread block in a fixed order; every thread gets the result. The sums of the warps
// are added in four independent chains, which the processor overlaps.
static __device__ Sums iterate_sums(Sums sums) {
  enum { WARPS = ITERATE_BLOCK / 32 };
  __shared__ Sums warps[WARPS];
  __syncthreads();  // all threads have read `warps` of the previous call
  for (int step = 16; step > 0; step /= 2) {
    sums.rz += __shfl_xor_sync(0xffffffff, sums.rz, step);
    sums.rr += __shfl_xor_sync(0xffffffff, sums.rr, step);
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sums;
  __syncthreads();
  Sums four[4] = {};
#pragma unroll
  for (int w = 0; w < WARPS; w++) {
    four[w % 4].rz += warps[w].rz;
    four[w % 4].rr += warps[w].rr;
  }
  return { (four[0].rz + four[1].rz) + (four[2].rz + four[3].rz),
           (four[0].rr + four[1].rr) + (four[2].rr + four[3].rr) };
}

// Sends the sums of this thread block to all thread blocks. A packet has 64 bits for r.z and 64 bits for r.r. The last
// 16 bits of r.r are replaced by the tag, the number of the exchange. The remaining 36 bits of the fraction of r.r
// suffice to test for convergence.
static __device__ __forceinline__ void send_sums(const View &v, Sums sums, unsigned tag) {
  if (threadIdx.x < SUM_COPIES)
    store_packet(v.packets + threadIdx.x * gridDim.x + blockIdx.x, (unsigned long long)__double_as_longlong(sums.rz),
                 ((unsigned long long)__double_as_longlong(sums.rr) & ~(unsigned long long)TAGS) | tag);
}

// Receives the sums of all thread blocks and adds them in a fixed order, so that each thread block gets the same bits.
// Returns false if a packet does not arrive in time.
static __device__ __forceinline__ bool receive_sums(const View &v, unsigned tag, Sums *sums) {
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

// Loads r, A p and M^-1 of one unit (the unknowns of a diagonal block), the thread's unit number j. Sets bit j * UNIT +
// k of *fixed if unknown k of the unit is fixed.
template <int WIDTH, bool STREAMS>
static __device__ __forceinline__ void load_unit(const View &v, int unit, int units, int j, real *r, real *Ap,
                                                 real *inverse, unsigned *fixed) {
  enum { UNIT = Held<WIDTH>::UNIT, TRIANGLE = Held<WIDTH>::TRIANGLE };
  const bool here = unit < units;
#pragma unroll
  for (int k = 0; k < UNIT; k++) {
    r[k] = here ? v.r[unit * UNIT + k] : (real)0;
    Ap[k] = here ? v.Ap[unit * UNIT + k] : (real)0;
    if (here) *fixed |= (v.held[k * v.held_words + unit / 32] >> unit % 32 & 1) << (j * UNIT + k);
  }
#pragma unroll
  for (int k = 0; k < TRIANGLE; k++)
    inverse[k] = here ? apply_once<STREAMS>(v.M.inverse + (size_t)k * v.M.block_count + unit) : (real)0;
}

// Ends the solve with SOLVER_LOST: the sums of another thread block did not arrive in time.
static __device__ __forceinline__ void end_lost(State *s, cudaGraphConditionalHandle handle) {
  s->report.end = SOLVER_LOST;
  s->done = 1;
  if (handle) cudaGraphSetConditional(handle, 0);
}

// Computes r -= alpha A p and z = M^-1 r for one unit, the unknowns of one diagonal block, and adds the unit's r.z and
// r.r to *sums. Bit k of `fixed` is set if unknown k is fixed. With `stop` (p.Ap <= 0 or not finite), r does not
// change.
template <int WIDTH>
static __device__ __forceinline__ void advance_unit(unsigned fixed, bool stop, real alpha, const real *Ap,
                                                    const real *inverse, real *r, real *z, Sums *sums) {
  enum { UNIT = Held<WIDTH>::UNIT };
#pragma unroll
  for (int k = 0; k < UNIT; k++) r[k] = fixed >> k & 1 ? (real)0 : stop ? r[k] : r[k] - alpha * Ap[k];
  precondition(WIDTH, inverse, r, z);
#pragma unroll
  for (int k = 0; k < UNIT; k++) {
    if (WIDTH > 1 && fixed >> k & 1) z[k] = 0;
    sums->rz += (double)r[k] * z[k];
    sums->rr += (double)r[k] * r[k];
  }
}

// Returns p.Ap, the sum of the partial sums that the product A p has written.
static __device__ __forceinline__ double curvature(const View &v) {
  Sums sums = {};
#pragma unroll 4
  for (int k = threadIdx.x; k < v.sum_count; k += ITERATE_BLOCK) sums.rz += v.sums[k];
  return iterate_sums(sums).rz;
}

// Loads x and p of the thread's units (unknowns of diagonal blocks), which are `first`, first + stride, and so on.
template <int UNIT, int HELD, bool STREAMS>
static __device__ __forceinline__ void load_step(const View &v, int first, int stride, int units, real x[HELD][UNIT],
                                                 real p[HELD][UNIT]) {
#pragma unroll
  for (int j = 0; j < HELD; j++) {
    const int unit = first + j * stride;
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
      p[j][k] = unit < units ? v.p[unit * UNIT + k] : (real)0;
      x[j][k] = unit < units ? apply_once<STREAMS>(v.x + unit * UNIT + k) : (real)0;
    }
  }
}

// For the thread's units (unknowns of diagonal blocks), stores r and x, which becomes x + alpha p if `finite`.
template <int UNIT, int HELD, bool STREAMS>
static __device__ __forceinline__ void store_step(const View &v, int first, int stride, int units, bool finite,
                                                  real alpha, const real r[HELD][UNIT], const real x[HELD][UNIT],
                                                  const real p[HELD][UNIT]) {
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
}

// Updates x, r, z and p in an iteration, for systems whose vectors fit into registers. All thread blocks run at the
// same time and send each other their sums r.z and r.r. A thread keeps r and z of HELD units (unknowns of diagonal
// blocks) in registers.
template <int WIDTH, int HELD, bool STREAMS>
static __global__ void __launch_bounds__(ITERATE_BLOCK, ITERATE_PER_UNIT)
    iterate_kernel(View v, bool timed, cudaGraphConditionalHandle handle) {
  enum { UNIT = Held<WIDTH>::UNIT, TRIANGLE = Held<WIDTH>::TRIANGLE };
  State *s = v.state;
  const int units = v.n / UNIT, stride = gridDim.x * ITERATE_BLOCK, first = blockIdx.x * ITERATE_BLOCK + threadIdx.x;
  const bool is_leader = first == 0, times = timed && is_leader;
  wait_for_last();
  let_next_begin();
  const unsigned long long ended = times ? now_ns() : 0, began = times ? s->product_began : 0;

  // Load the vectors here, before the partial sums of p.Ap are loaded, so that these loads overlap.
  real r[HELD][UNIT], z[HELD][UNIT], Ap[HELD][UNIT], inverse[HELD][TRIANGLE > 0 ? TRIANGLE : 1];
  unsigned fixed = 0;  // bit j * UNIT + k: unknown k of the thread's diagonal block j is fixed
#pragma unroll
  for (int j = 0; j < HELD; j++)
    load_unit<WIDTH, STREAMS>(v, first + j * stride, units, j, r[j], Ap[j], inverse[j], &fixed);
  if (s->done) return;

  // Compute p.Ap and alpha.
  const double rz_last = s->rz;
  const unsigned tag = s->tag % TAGS + 1;  // never 0, which is the content of new memory
  const bool is_first = s->first;
  const double pAp = curvature(v);
  const bool finite = isfinite(pAp), stop = !(pAp > 0) || !finite;
  const real alpha = stop ? (real)(is_first && finite ? 1 : 0) : (real)(rz_last / pAp);

  // Compute the new residual r, z = M^-1 r, and sums of r.z and r.r.
  Sums sums = {};
#pragma unroll
  for (int j = 0; j < HELD; j++)
    advance_unit<WIDTH>(fixed >> (j * UNIT), stop, alpha, Ap[j], inverse[j], r[j], z[j], &sums);

  // Send the sums, and update x while the sums of other thread blocks are in transit.
  real x[HELD][UNIT], p[HELD][UNIT];
  load_step<UNIT, HELD, STREAMS>(v, first, stride, units, x, p);
  sums = iterate_sums(sums);
  send_sums(v, sums, tag);
  store_step<UNIT, HELD, STREAMS>(v, first, stride, units, finite, alpha, r, x, p);

  // Receive the sums of all thread blocks, and compute the new direction p.
  if (!receive_sums(v, tag, &sums)) {
    if (threadIdx.x == 0) end_lost(s, handle);
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

  // One thread ends the iteration and updates the state.
  if (!is_leader) return;

  // All thread blocks have read the members of State that are written below, because their sums have arrived.
  s->rz = sums.rz;
  s->tag = tag;
  s->first = 0;
  s->report.relative_residual = sqrt(sums.rr / s->rr0);
  if (times && ended > began) s->report.product_ms += 1e-6 * (double)(ended - began);
  if (stop) {
    s->report.end = finite ? SOLVER_INDEFINITE : SOLVER_BROKEN;
    s->done = 1;
  } else
    end_iteration(v, sums.rr);
  if (handle) cudaGraphSetConditional(handle, !s->done);
  if (times) s->product_began = now_ns();
}
