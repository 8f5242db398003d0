// Code common to the kernels of the resident solver (resident.h): their arguments, the barriers between warps, and the
// deciding warp. A part is a group of nodes with their rows of the matrix (part_layout.h). One thread block processes a
// part. Parts send each other packets of 16 bytes, which hold the number of the exchange and three 32-bit words of
// data. The last warp of each thread block is the deciding warp: it adds the part's sums, exchanges them with the other
// parts, and computes alpha and beta. The other warps, the workers, multiply and update vectors.
#pragma once
#include "base/real.h"
#include "sim/resident/resident.h"
#include "sim/resident/resident_exchange.cuh"
#include "sim/operator/parts/part_layout.h"
#include "sim/operator/term_rows.h"

enum {
  THREADS = 512,
  WARPS = THREADS / 32 - 1,  // number of worker warps; one more warp is the deciding warp
  WORKERS = 32 * WARPS,
  // number of iterations between two reads of Solver.stop, a word that the host sets to end a solve early
  STOP_POLL = 64,
  // number of copies of omega, a vector of the coarse space; parts read different copies, to spread their reads
  OMEGA_COPIES = 4,
};
// Numbers of the barriers of a thread block. BARRIER_SUMS: the workers' sums r.u, w.u and r.r are ready for the
// deciding warp, where r is the residual, u = M^-1 r and w = A u. BARRIER_DECISION: the result of the deciding warp is
// ready for the workers. Only workers use the other barriers. BARRIER_W, BARRIER_U: all of w, or of u, is computed.
// BARRIER_COARSE: data of the coarse space are complete.
enum { BARRIER_SUMS = 1, BARRIER_DECISION = 2, BARRIER_W = 3, BARRIER_U = 4, BARRIER_COARSE = 5 };

// Kernel arguments that describe the coarse space of the preconditioner: the rigid motions of aggregates (groups of
// nodes). The columns of the matrix P are these motions. Without a coarse space, `count` is 0.
typedef struct PartCoarse {
  // count: number of aggregates. n: rows of the coarse matrix P^T A P. near_max: largest number of aggregates in the
  // list `near` of a part. owned_max: largest number of aggregates that a part owns.
  int count, n, near_max, owned_max;
  // copies of members of PartAggregates. owned_start: first aggregate of each part. near_start, near: the list of
  // aggregates that each part needs. slot: for each node of a part and its halo, the index in this list, or -1
  const int *owned_start, *near_start, *near, *slot;
  const double *B;  // [n][n], inverse of P^T A P
  // [node_count + halo_count][4], for each node of a part and its halo: position from the centre of its aggregate, and
  // index of the aggregate in the part's list `near`
  real *position;
  // [2][OMEGA_COPIES][count][2][PACKETS], packets with omega = P^T w, sums of w = A u over the nodes of each aggregate.
  // Exchanges with even and odd numbers use different halves of the array. Each aggregate has two packets of three
  // numbers, translations and rotations.
  Packet *omega;
  // [2][count][2][PACKETS], packets with psi = B omega: two per aggregate, for translations and rotations
  Packet *psi;
} PartCoarse;

// Data of a thread in the kernel that keeps matrix blocks in registers (resident_held.cuh). They are the same in all
// solves. A chunk is some blocks of a row; a tile is the 32 chunks that a warp multiplies, one per lane
// (part_layout.h). Because of the alignment, two load instructions read the whole struct.
typedef struct alignas(16) HeldThread {
  int node;  // node whose entries of the vectors the thread keeps; -1: none
  // local: index of `node` among the local nodes of the part. steps: number of steps in which the warp multiplies its
  // tile; in a step, each lane multiplies one block
  uint16_t local, steps;
  int first;  // number of the first step of the warp's tile; steps are numbered through all tiles
  // Packed word about the chunk (some blocks of a row) that the lane multiplies, an element of PartLayout.lane. It has
  // the row, the number of the row's chunks in later lanes, and two flags (lane_row in part_layout.h).
  unsigned task;
  // Columns of the chunk's blocks: local numbers of nodes within the part, two 16-bit numbers per word.
  unsigned column[PART_CHUNK / 2];
} HeldThread;

// Arguments of all kernels of the resident solver, passed by value.
typedef struct View {
  PartLayout l;                    // index arrays of the matrix in parts
  int node_count, iterations_max;  // nodes of the mesh; max number of iterations
  double relative, norm;           // tolerance of ||r|| / ||b||; ||b||, or 0 if unknown
  // Inputs of a solve that is recorded in a CUDA graph. In other solves, the members of `later` are NULL.
  SolverInputs later;
  const real *b, *values, *blocks;  // right-hand side; stored entries of A; diagonal blocks of A
  const uint8_t *fixed;             // [n], 1: the unknown is fixed
  real *x;                          // [n], output: the solution
  // [2][halo_count][PACKETS], packets with w = A u of the halo nodes (neighbours of a part's nodes in other parts).
  // Exchanges with even and odd numbers use different halves of the array.
  Packet *inbox;
  // [2][SUM_COPIES][part_count][PACKETS], packets with r.u, w.u and r.r of each part (u = M^-1 r, w = A u)
  Packet *sums;
  unsigned *exchange;        // number of the last exchange of packets in the previous solve; this solve counts on
  SolverReport *report;      // output: result of the solve
  const volatile int *stop;  // in host memory; 1: the host requests the end of the solve
  bool timed;                // true: measure the time of products
  const HeldThread *held;    // [part_count][THREADS], only if blocks are kept in registers
  // `diagonal` and `far` are used only in kernels that read the matrix in every product (resident_stream.cuh).
  real *diagonal;  // upper triangles of the diagonal blocks, part by part: [dof (dof + 1) / 2][nodes of the part]
  real *far;       // [parts][far_count], vectors of each part that do not fit into shared memory
  PartCoarse c;    // arguments for the coarse space
  // Data of T, the matrix of contact; the solver adds T u to each product A u. rows: rows of T. board: packets with u
  // of each node that has a row in T. row_sums: packets with the product of each row of T with u.
  const TermRows *rows;
  Packet *board, *row_sums;  // [node_count][PACKETS] each: packets with u of nodes, and with products of rows of T
} View;

// barrier_sync waits until COUNT threads have arrived at the barrier. barrier_arrive reports the arrival of the calling
// warp, which does not wait.
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

// The numbers of a vector at one node, in shared memory. Three are padded to four, so that one instruction loads them.
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

// Adds up the products of a row's chunks (some blocks of the row each), which are in adjacent lanes. On return, y of
// the lane with the row's first chunk is the sum; y of other lanes has no meaning. `task` is the lane's packed word
// (HeldThread.task). later_max: largest number of chunks that a row has after its first one.
template <int DOF>
static __device__ __forceinline__ void add_later_chunks(real y[DOF], unsigned task, int later_max) {
  for (int step = 1; step <= later_max; step *= 2)
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      const real later = __shfl_down_sync(0xffffffff, y[i], step);
      if (lane_after(task) >= step) y[i] += later;
    }
}

// Waits for a packet of exchange `number` and reads its three numbers. Returns false if it does not arrive in time.
template <int DOF>
static __device__ __forceinline__ bool await(const Packet *from, unsigned number, real entry[3]) {
  int tries = 0;
  while (receive(from, entry) != number && tries < TRIES) tries++;
  // With one unknown per node, the other two numbers are zero. They are added so that they are used: the compiler then
  // loads the whole packet by one instruction.
  if (DOF == 1) entry[0] += entry[1] + entry[2];
  return tries < TRIES;
}

// Returns the power of two by which the right-hand side b and the residual r are scaled, if the norm of b is known.
// Else returns 0; then the caller finds the power from the largest entry of b, for which the parts exchange their
// largest entries. All threads get the same result.
static __device__ __forceinline__ real known_scale(const View &v) {
  const real norm = (real)(v.later.norm ? *v.later.norm : v.norm);
  return norm > 0 && isfinite(norm) ? resident_scale(norm) : (real)0;
}

// Returns true if this solve, recorded in a CUDA graph, must be skipped.
static __device__ __forceinline__ bool unwanted(const View &v) {
  return v.later.wanted && !*v.later.wanted;
}

// Result of the deciding warp, which the workers read: alpha, beta, the scale of b, and `end`, a SolverEnd.
typedef struct Decision {
  real alpha, beta, scale;
  int end;
} Decision;

// Variables in shared memory that all warps of a thread block use. Workers write `sums` before BARRIER_SUMS, and the
// deciding warp reads them after this barrier. The deciding warp writes `decision` before BARRIER_DECISION, and workers
// read it after this barrier. Between the reads of one of these variables and the next write to it, all warps pass the
// other barrier. So no write overtakes a read, although compute-sanitizer (racecheck) reports hazards.
//
// Two pairs of accesses are not ordered, but do no harm. If a worker sets `lost` while the deciding warp reads it, the
// solve may end one iteration later. If thread 0 adds to product_cycles while the report is written, the reported time
// may lack one product.
typedef struct BlockShared {
  Entry<3> sums[WARPS + 1];           // r.u, w.u and r.r of each worker warp; the last element is 0
  Decision decision;                  // result of the last decision
  int lost;                           // 1 after a worker thread has waited too long for a packet
  unsigned long long product_cycles;  // clock cycles of products in part 0, if the solve is timed
} BlockShared;

// Contribution of a thread to the sums of an iteration: gamma = r.u, delta = w.u, rr = r.r. u = M^-1 r and w = A u.
typedef struct ThreadSums {
  real gamma, delta, rr;
} ThreadSums;

// Adds the contributions of a warp's lanes, and passes the result to the deciding warp. `warp` and `lane` are the
// thread's numbers. The caller computes them in advance to save time here, since all parts wait for these sums.
static __device__ __forceinline__ void pass_sums(BlockShared *block, const ThreadSums &sums, int warp, int lane) {
  const real sum = warp_sums(sums.gamma, sums.delta, sums.rr, lane);
  if (lane % 8 == 0 && lane < 24) block->sums[warp].v[lane / 8] = sum;
  barrier_arrive<BARRIER_SUMS, THREADS>();
}

// Sets *largest to |entry| if |entry| is larger. NaN counts as infinity.
static __device__ __forceinline__ void grow_max(real entry, real *largest) {
  const real size = entry < 0 ? -entry : entry;
  if (!(size <= *largest)) *largest = isfinite(size) ? size : (real)INFINITY;
}

// Computes the scale of b if the norm of b is unknown; called by workers. The deciding warps exchange the largest
// |entries| of b between the parts, and return *scale and *end (resident_begin). `largest` is the thread's largest one.
static __device__ __forceinline__ void agree_on_scale(real largest, BlockShared *block, unsigned *number, real *scale,
                                                      int *end) {
  largest = warp_max(largest);
  if (threadIdx.x % 32 == 0) block->sums[threadIdx.x / 32].v[0] = largest;
  barrier_arrive<BARRIER_SUMS, THREADS>();
  *number = next_number(*number);
  barrier_sync<BARRIER_DECISION, THREADS>();
  *scale = block->decision.scale;
  *end = block->decision.end;
}

// Adds the sums r.u, w.u and r.r (u = M^-1 r, w = A u) of all worker warps, in all lanes of the deciding warp.
static __device__ __forceinline__ void add_warp_sums(const Entry<3> *warp_sums, real sums[3]) {
  enum { SUMMANDS = 4 };  // a lane adds the sums of SUMMANDS warps; SUMMANDS lanes cover all warps
  static_assert(SUMMANDS * SUMMANDS == WARPS + 1, "the lanes add one sum per worker warp and one zero");
  const int lane = threadIdx.x % 32;
  Entry<3> sum[SUMMANDS];
#pragma unroll
  for (int k = 0; k < SUMMANDS; k++) sum[k] = read_entry(warp_sums + SUMMANDS * k + lane % SUMMANDS);
#pragma unroll
  for (int i = 0; i < 3; i++) sums[i] = (sum[0].v[i] + sum[1].v[i]) + (sum[2].v[i] + sum[3].v[i]);
  lane_totals<SUMMANDS>(sums);
}

// Writes the report of a solve; called in part 0. `number` is the number of the last exchange.
static __device__ __forceinline__ void write_report(const View &v, const ResidentScalars &z, int end, int iteration,
                                                    unsigned number) {
  // After SOLVER_LOST, another part may already have sent packets of the next exchange. The next solve must not read
  // them as its own packets, so it skips their numbers.
  *v.exchange = end == SOLVER_LOST ? next_number(next_number(next_number(number))) : number;
  SolverReport *report = v.report;
  report->iterations = iteration;
  report->end = (SolverEnd)end;
  report->relative_residual = z.rr0 > 0 ? sqrt((double)z.rr / (double)z.rr0) : end == SOLVER_BROKEN ? 1 : 0;
  report->product_ms = 0;
}

// Does the work of the deciding warp, the last warp of a thread block, in a whole solve: in each iteration it adds the
// part's sums, exchanges them, and computes alpha and beta.
static __device__ __forceinline__ void decide(const View &v, BlockShared *block, unsigned number) {
  const int lane = threadIdx.x % 32;
  const volatile int *lost = &block->lost;
  unsigned long long began_ns = 0, ended_ns = 0;
  if (v.timed) asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began_ns));
  const long long began = clock64();
  ResidentScalars z = {};
  const double relative = v.later.relative ? *v.later.relative : v.relative;
  bool stop = false;
  real sums[3];
  int end = SOLVER_RUNNING;
  if (lane < 3) block->sums[WARPS].v[lane] = 0;
  Decision d = { 0, 0, known_scale(v), end };

  // If the scale of b is unknown, compute it from the largest entry of b; the parts exchange their largest entries.
  if (d.scale == 0) {
    number = next_number(number);
    barrier_sync<BARRIER_SUMS, THREADS>();
    const real largest = warp_max(lane < WARPS ? block->sums[lane].v[0] : (real)0);
    sums[0] = sums[1] = sums[2] = largest;
    end = exchange_sums<true>(sum_slots(v.sums, v.l.part_count, number), v.l.part_count, sums, number, &stop)
              ? (int)resident_begin(sums[0])
              : (int)SOLVER_LOST;
    d.scale = end == SOLVER_RUNNING ? resident_scale(sums[0]) : (real)1;
    d.end = end;
    if (lane == 0) block->decision = d;
    barrier_arrive<BARRIER_DECISION, THREADS>();
  }

  // In each iteration, add the sums of the warps, exchange the sums of the parts, and decide if the solve continues.
  int iteration = 0;
  if (end == SOLVER_RUNNING)
    for (;; iteration++) {
      number = next_number(number);

      // Compute the addresses of the packets of this exchange before the sums are ready.
      const SumSlots slots = sum_slots(v.sums, v.l.part_count, number);
      stop = blockIdx.x == 0 && iteration % STOP_POLL == STOP_POLL - 1 && *v.stop;
      barrier_sync<BARRIER_SUMS, THREADS>();
      const bool timed_out = *lost;  // a worker waited too long for a packet in the last iteration
      add_warp_sums(block->sums, sums);
      if (exchange_sums<false>(slots, v.l.part_count, sums, number, &stop))
        end = resident_decide(&z, sums, iteration, v.iterations_max, relative, &d.alpha, &d.beta);
      else
        end = SOLVER_LOST;
      if (end == SOLVER_RUNNING && stop) end = SOLVER_STOPPED;
      if (timed_out) end = SOLVER_LOST;
      d.end = end;
      if (lane == 0) block->decision = d;
      barrier_arrive<BARRIER_DECISION, THREADS>();
      if (end != SOLVER_RUNNING) break;
      resident_keep(&z, sums, d.beta);
    }

  if (blockIdx.x != 0 || lane != 0) return;
  write_report(v, z, end, iteration, number);
  if (!v.timed) return;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ended_ns));
  const double cycles = (double)(clock64() - began);
  v.report->product_ms = 1e-6 * (double)(ended_ns - began_ns) * (double)block->product_cycles / cycles;
}
