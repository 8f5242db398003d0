// What the kernels of the resident solver share: what they work on, the barriers between the warps of a block of
// threads, and the warp that adds up a part's sums, exchanges them and decides for the others.
#pragma once
#include "base/real.h"
#include "sim/solver/resident/resident.h"
#include "sim/solver/resident/resident_exchange.cuh"
#include "sim/operator/parts/part_layout.h"
#include "sim/operator/term_rows.h"

enum {
  THREADS = 512,
  WARPS = THREADS / 32 - 1,  // that multiply; one more adds up
  WORKERS = 32 * WARPS,
  PARTS_MOST = 256,
  PARTS_USUAL = 160,  // the former takes more loads
  LOOK = 64,          // iterations between two looks at the host's flag
  OMEGA_COPIES = 4,   // of what a coarse space is told, as SUM_COPIES
};
// Barriers of a block of threads: the workers tell that their sums are there, the deciding warp that it has decided,
// and the workers each other that w and u are, and what belongs to the coarse space.
enum { BARRIER_SUMS = 1, BARRIER_DECISION = 2, BARRIER_W = 3, BARRIER_U = 4, BARRIER_COARSE = 5 };

// A coarse space of the parts' aggregates: see part_aggregates.h and resident.h. Of no aggregates where there is none.
typedef struct PartCoarse {
  int count, n, near_most, own_most;  // aggregates of all; coarse_unknowns
  const int *own_start, *near_start, *near, *slot;
  const double *B;  // [n][n]
  real *placed;     // [node_count + halo_count][4], by local nodes: from the aggregate's middle, and the slot
  Packet *omega;    // [2][OMEGA_COPIES][count][2][PACKETS]
  Packet *psi;      // [2][count][2][PACKETS]
} PartCoarse;

// What a thread has to know of its part where blocks are held, in two loads.
typedef struct alignas(16) HeldThread {
  int node;                         // that it keeps, or -1
  uint16_t local, steps;            // its local number; steps of the warp's tile
  int first;                        // the tile's first step
  unsigned does;                    // see lane_row
  unsigned column[PART_CHUNK / 2];  // of the other nodes of its chunk, two local numbers each
} HeldThread;

typedef struct View {
  PartLayout l;
  int node_count, iterations_max;
  double relative, norm;
  SolverInputs later;  // of a recorded solve; else NULL
  const real *b, *values, *blocks;
  const uint8_t *fixed;
  real *x;
  Packet *inbox;       // [2][halo_count][PACKETS]
  Packet *sums;        // [2][SUM_COPIES][part_count][PACKETS]
  unsigned *exchange;  // the number of the newest
  SolverReport *report;
  const volatile int *stop;  // in the host's memory
  bool timed;
  const HeldThread *held;  // [part_count][THREADS], where blocks are held
  // of the forms that read the matrix in every product, see resident_stream.cuh
  real *own_blocks;  // [dof (dof + 1) / 2][own nodes] of each part
  real *far;
  PartCoarse c;
  // the operator's term, see resident_term.cuh: its rows, what nodes that have one tell all others, and the rows' sums
  const TermRows *rows;
  Packet *board, *row_sums;  // [node_count][PACKETS]
} View;

template <int BARRIER, int COUNT>
static __device__ __forceinline__ void barrier_sync(void) {
  __syncwarp();
  asm volatile("bar.sync %0, %1;" ::"n"(BARRIER), "n"(COUNT) : "memory");
}
template <int BARRIER, int COUNT>
static __device__ __forceinline__ void barrier_arrive(void) {
  __syncwarp();
  asm volatile("bar.arrive %0, %1;" ::"n"(BARRIER), "n"(COUNT) : "memory");
}

// A node's numbers in shared memory, three of them in room for four: read as vectors.
template <int DOF>
struct alignas(DOF == 3 ? 4 * sizeof(real) : sizeof(real)) Entry {
  real v[DOF == 3 ? 4 : DOF];
};

template <int DOF>
static __device__ __forceinline__ Entry<DOF> read_entry(const Entry<DOF> *from) {
  if constexpr (DOF == 3) {
    Entry<DOF> entry;
#pragma unroll
    for (size_t k = 0; k < sizeof entry / sizeof(float4); k++) ((float4 *)&entry)[k] = ((const float4 *)from)[k];
    return entry;
  }
  return *from;
}

// The chunks behind a row's first, added to it: y of its lane is then the row's.
template <int DOF>
static __device__ __forceinline__ void add_behind(real y[DOF], unsigned does, int behind_most) {
  for (int step = 1; step <= behind_most; step *= 2)
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      const real behind = __shfl_down_sync(0xffffffff, y[i], step);
      if (lane_behind(does) >= step) y[i] += behind;
    }
}

// Waits for a packet of this number; false: it does not come.
template <int DOF>
static __device__ __forceinline__ bool await(const Packet *from, unsigned number, real entry[3]) {
  int tries = 0;
  while (receive(from, entry) != number && tries < TRIES) tries++;
  if (DOF == 1) entry[0] += entry[1] + entry[2];  // zeros, that its packet is loaded whole
  return tries < TRIES;
}

// What r is scaled by where the norm of b is known; 0: the parts have to ask each other for the largest entry. All
// threads find the same.
static __device__ __forceinline__ real known_scale(const View &v) {
  const real norm = (real)(v.later.norm ? *v.later.norm : v.norm);
  return norm > 0 && isfinite(norm) ? resident_scale(norm) : (real)0;
}

static __device__ __forceinline__ bool unwanted(const View &v) {
  return v.later.wanted && !*v.later.wanted;
}

// what the deciding warp tells the others
typedef struct Decision {
  real alpha, beta, scale;
  int end;
} Decision;

// The largest size of entries so far, with this one: infinite where one is none, or no number.
static __device__ __forceinline__ void grow_most(real entry, real *most) {
  const real size = entry < 0 ? -entry : entry;
  if (!(size <= *most)) *most = isfinite(size) ? size : (real)INFINITY;
}

// The workers' side of the first exchange, where the scale is not known: the parts ask each other for the largest entry
// of b. `most`: the thread's.
static __device__ __forceinline__ void agree_on_scale(real most, Entry<3> *warp_sums_of, const Decision *told,
                                                      unsigned *number, real *scale, int *end) {
  most = warp_most(most);
  if (threadIdx.x % 32 == 0) warp_sums_of[threadIdx.x / 32].v[0] = most;
  barrier_arrive<BARRIER_SUMS, THREADS>();
  *number = next_number(*number);
  barrier_sync<BARRIER_DECISION, THREADS>();
  *scale = told->scale, *end = told->end;
}

// The deciding warp's whole solve; each of its lanes takes the sums of up to LOADS parts. warp_sums_of [WARPS + 1].
template <int LOADS>
static __device__ __forceinline__ void decide(const View &v, Entry<3> *warp_sums_of, Decision *told, unsigned number,
                                              const volatile int *lost, const unsigned long long *product_cycles) {
  const int lane = threadIdx.x % 32;
  unsigned long long began_ns = 0, ended_ns = 0;
  if (v.timed) asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began_ns));
  const long long began = clock64();
  ResidentScalars z = {};
  const double relative = v.later.relative ? *v.later.relative : v.relative;
  enum { SHARES = 4 };  // of the warps' sums: a lane adds up so many, and as many lanes have them all
  static_assert(SHARES * SHARES == WARPS + 1, "the last is zero");
  bool stop = false;
  real sums[3];
  int end = SOLVER_RUNNING;
  if (lane < 3) warp_sums_of[WARPS].v[lane] = 0;
  Decision d = { 0, 0, known_scale(v), end };
  if (d.scale == 0) {
    number = next_number(number);
    barrier_sync<BARRIER_SUMS, THREADS>();
    const real most = warp_most(lane < WARPS ? warp_sums_of[lane].v[0] : (real)0);
    sums[0] = sums[1] = sums[2] = most;
    end = exchange_sums<true, LOADS>(sum_places(v.sums, v.l.part_count, number), v.l.part_count, sums, number, &stop)
              ? (int)resident_begin(sums[0])
              : (int)SOLVER_LOST;
    d.scale = end == SOLVER_RUNNING ? resident_scale(sums[0]) : (real)1;
    d.end = end;
    if (lane == 0) *told = d;
    barrier_arrive<BARRIER_DECISION, THREADS>();
  }
  int iteration = 0;
  if (end == SOLVER_RUNNING)
    for (;; iteration++) {
      number = next_number(number);
      // what needs no sums is found before there are any
      const SumPlaces places = sum_places(v.sums, v.l.part_count, number);
      stop = blockIdx.x == 0 && iteration % LOOK == LOOK - 1 && *v.stop;
      barrier_sync<BARRIER_SUMS, THREADS>();
      const bool in_vain = *lost;  // a worker has waited so in the iteration before
      Entry<3> share[SHARES];
#pragma unroll
      for (int k = 0; k < SHARES; k++) share[k] = read_entry(warp_sums_of + SHARES * k + lane % SHARES);
#pragma unroll
      for (int i = 0; i < 3; i++) sums[i] = (share[0].v[i] + share[1].v[i]) + (share[2].v[i] + share[3].v[i]);
      lane_totals<SHARES>(sums);
      if (exchange_sums<false, LOADS>(places, v.l.part_count, sums, number, &stop))
        end = resident_decide(&z, sums, iteration, v.iterations_max, relative, &d.alpha, &d.beta);
      else
        end = SOLVER_LOST;
      if (end == SOLVER_RUNNING && stop) end = SOLVER_STOPPED;
      if (in_vain) end = SOLVER_LOST;
      d.end = end;
      if (lane == 0) *told = d;
      barrier_arrive<BARRIER_DECISION, THREADS>();
      if (end != SOLVER_RUNNING) break;
      resident_keep(&z, sums, d.beta);
    }
  if (blockIdx.x != 0 || lane != 0) return;
  // who is lost may be one ahead of others
  *v.exchange = end == SOLVER_LOST ? next_number(next_number(next_number(number))) : number;
  SolverReport *report = v.report;
  report->iterations = iteration;
  report->end = (SolverEnd)end;
  report->relative_residual = z.rr0 > 0 ? sqrt((double)z.rr / (double)z.rr0) : end == SOLVER_BROKEN ? 1 : 0;
  report->product_ms = 0;
  if (!v.timed) return;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ended_ns));
  const double cycles = (double)(clock64() - began);
  report->product_ms = 1e-6 * (double)(ended_ns - began_ns) * (double)*product_cycles / cycles;
}
