// The resident solver on the GPU, the twin of resident.c: a whole solve in one kernel. Each multiprocessor takes a part
// of the matrix (part_layout.h) and keeps its vectors; where they fit, its blocks too, in registers. What parts tell
// each other travels in packets of 16 bytes that carry the number of the exchange with the payload, so that whoever
// waits for one polls it, and no barrier of the whole GPU is needed. A packet's place is used every second exchange:
// whoever sends the one after next has heard, in the sums between, that all have read the last.
//
// In a block of threads one warp, the last, adds up the part's sums, exchanges them and decides; the others multiply
// and keep the vectors. All parts decide alike, since all add up the same sums in the same order: a run repeats bit for
// bit. All waits are bounded. The blocks are launched cooperatively, so that all of them run at once.
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/krylov/preconditioner.h"
#include "sim/krylov/resident.h"
#include "sim/krylov/resident_exchange.cuh"
#include "sim/operator/part_layout.h"

enum {
  THREADS = 512,
  WARPS = THREADS / 32 - 1,  // that multiply; one more adds up
  WORKERS = 32 * WARPS,
  PARTS_MOST = 256,
  PARTS_USUAL = 160,  // the former takes more loads
  LOOK = 64,          // iterations between two looks at the host's flag
};
// Barriers of a block of threads: the workers tell that their sums are there, the deciding warp that it has decided,
// and the workers each other that w and u are.
enum { BARRIER_SUMS = 1, BARRIER_DECISION = 2, BARRIER_W = 3, BARRIER_U = 4 };

typedef struct View {
  PartLayout l;
  int node_count, iterations_max;
  double relative;
  const double *relative_later;                  // unless NULL, where it will stand when the solve runs
  const real *b, *values, *own_values, *blocks;  // own_values [dof][dof][node_count]
  const uint8_t *fixed;
  real *x;
  Packet *inbox;       // [2][halo_count][PACKETS]
  Packet *sums;        // [2][SUM_COPIES][part_count][PACKETS]
  unsigned *exchange;  // the number of the newest
  SolverReport *report;
  const volatile int *stop;  // in the host's memory
  bool timed;
} View;

typedef void (*Kernel)(View v);

typedef struct Data {
  View view;
  Kernel kernel;
  size_t shared_bytes;
} Data;

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

// what the deciding warp tells the others
typedef struct Decision {
  real alpha, beta, scale;
  int end;
} Decision;

// The deciding warp's whole solve; each of its lanes takes the sums of up to LOADS parts.
template <int LOADS>
static __device__ __forceinline__ void decide(const View &v, const real (*warp_sums_of)[3], Decision *told,
                                              unsigned number, const volatile int *lost,
                                              const unsigned long long *product_cycles) {
  const int lane = threadIdx.x % 32;
  unsigned long long began_ns = 0, ended_ns = 0;
  if (v.timed) asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began_ns));
  const long long began = clock64();
  ResidentScalars z = {};
  const double relative = v.relative_later ? *v.relative_later : v.relative;
  bool stop = false;
  number = next_number(number);
  barrier_sync<BARRIER_SUMS, THREADS>();
  const real most = warp_most(lane < WARPS ? warp_sums_of[lane][0] : (real)0);
  real sums[3] = { most, most, most };
  int end = exchange_sums<true, LOADS>(v.sums, v.l.part_count, sums, number, &stop) ? (int)resident_begin(sums[0])
                                                                                    : (int)SOLVER_LOST;
  const bool begun = end == SOLVER_RUNNING;
  Decision d = { 0, 0, begun ? resident_scale(sums[0]) : (real)1, end };
  if (lane == 0) *told = d;
  barrier_arrive<BARRIER_DECISION, THREADS>();
  int iteration = 0;
  if (end == SOLVER_RUNNING)
    for (;; iteration++) {
      number = next_number(number);
      barrier_sync<BARRIER_SUMS, THREADS>();
      const bool one = lane < WARPS;
      const real sum = warp_sums(one ? warp_sums_of[lane][0] : (real)0, one ? warp_sums_of[lane][1] : (real)0,
                                 one ? warp_sums_of[lane][2] : (real)0, lane);
      sums[0] = __shfl_sync(0xffffffff, sum, 0), sums[1] = __shfl_sync(0xffffffff, sum, 8);
      sums[2] = __shfl_sync(0xffffffff, sum, 16);
      stop = blockIdx.x == 0 && iteration % LOOK == LOOK - 1 && *v.stop;
      if (exchange_sums<false, LOADS>(v.sums, v.l.part_count, sums, number, &stop))
        end = resident_decide(&z, sums, iteration, v.iterations_max, relative, &d.alpha, &d.beta);
      else
        end = SOLVER_LOST;
      if (end == SOLVER_RUNNING && stop) end = SOLVER_STOPPED;
      if (*lost) end = SOLVER_LOST;  // a worker has waited in vain in the iteration before
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

// HELD: blocks and vectors of a part in registers, a thread for each local node and for each chunk; else the blocks are
// read anew in every product and r, s and M^-1 lie in shared memory.
template <int DOF, bool HELD, int LOADS>
static __global__ void __launch_bounds__(THREADS, 1) solve_kernel(const View v) {
  enum { SIZE = DOF * DOF, CHUNK = HELD ? PART_CHUNK : 1 };
  extern __shared__ __align__(32) unsigned char room[];
  __shared__ real sums_of[WARPS][3];
  __shared__ Decision told;
  __shared__ int lost;
  __shared__ unsigned long long product_cycles;
  const PartLayout &l = v.l;
  const int part = blockIdx.x, t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int own = l.own_start[part + 1] - l.own_start[part], halo_first = l.halo_start[part];
  const int locals = own + l.halo_start[part + 1] - halo_first, tile_first = l.tile_start[part];
  const int tiles = l.tile_start[part + 1] - tile_first;
  const int *node = l.node + l.own_start[part] + halo_first;
  // shared memory: u of all local nodes; w, of all or of own nodes; p and x; then own blocks, or r, s and M^-1
  const int pitch = l.own_most, wide = HELD ? l.own_most : l.local_most;
  Entry<DOF> *u = (Entry<DOF> *)room;
  real *w = (real *)(u + l.local_most), *p = w + DOF * wide, *x = p + DOF * pitch, *more = x + DOF * pitch;
  real *own_block = more, *r_all = more, *s_all = r_all + DOF * wide, *inverse_all = s_all + DOF * wide;
  unsigned number = *(const volatile unsigned *)v.exchange;
  if (t == 0) lost = 0, product_cycles = 0;
  // body(n) for the thread's nodes of [0, count), of which it has one at most where they are held
  const auto for_nodes = [&](int count, auto body) {
    if (HELD) {
      if (t < count) body(t);
    } else {
      for (int n = t; n < count; n += WORKERS) body(n);
    }
  };

  if (warp == WARPS) {
    decide<LOADS>(v, sums_of, &told, number, &lost, &product_cycles);
    return;
  }

  // blocks of the thread's chunk
  real A[CHUNK][SIZE];
  unsigned column[(CHUNK + 1) / 2], does = 0;
  if (HELD && warp < tiles) {
    const int tile = tile_first + warp, first = l.step_start[tile], steps = l.step_start[tile + 1] - first;
    does = l.lane[tile * PART_LANES + lane];
#pragma unroll
    for (int k = 0; k < CHUNK; k++) {
      const size_t slot = (size_t)(first + k) * PART_LANES + lane;
      const unsigned c = k < steps ? l.local_column[slot] : 0;
      column[k / 2] = k % 2 ? column[k / 2] | c << 16 : c;
#pragma unroll
      for (int e = 0; e < SIZE; e++)
        A[k][e] = k < steps ? v.values[((size_t)(first + k) * SIZE + e) * PART_LANES + lane] : (real)0;
    }
  }
  // vectors: r = b, the rest 0; M^-1 is 0 where the unknown is held
  real r_mine[DOF] = {}, s_mine[DOF] = {}, inverse_mine[DOF] = {};
  real most = 0;
  for_nodes(locals, [&](int n) {
    const int a = node[n];
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      const bool fixed = v.fixed[a * DOF + i];
      const real b = fixed ? (real)0 : v.b[a * DOF + i], size = b < 0 ? -b : b;
      const real inverse = fixed ? (real)0 : inverse_of_entry(v.blocks[(size_t)a * SIZE + i * DOF + i]);
      if (HELD)
        r_mine[i] = b, inverse_mine[i] = inverse;
      else
        r_all[i * wide + n] = b, s_all[i * wide + n] = 0, inverse_all[i * wide + n] = inverse;
      if (n >= own) continue;
      if (!(size <= most)) most = isfinite(size) ? size : (real)INFINITY;  // also what is not a number
      p[i * pitch + n] = 0, x[i * pitch + n] = 0;
#pragma unroll
      for (int k = i; k < DOF; k++)
        if (HELD) own_block[symmetric_index(DOF, i, k) * pitch + n] = v.blocks[(size_t)a * SIZE + i * DOF + k];
    }
  });
  most = warp_most(most);
  if (lane == 0) sums_of[warp][0] = most;
  barrier_arrive<BARRIER_SUMS, THREADS>();
  number = next_number(number);
  barrier_sync<BARRIER_DECISION, THREADS>();
  const real scale = told.scale;
  int end = told.end, iteration = 0;
  if (end == SOLVER_RUNNING) {
    for_nodes(locals, [&](int n) {
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        if (HELD) {
          r_mine[i] *= scale;
          u[n].v[i] = inverse_mine[i] * r_mine[i];
        } else {
          const real r = r_all[i * wide + n] *= scale;
          u[n].v[i] = inverse_all[i * wide + n] * r;
        }
      }
    });
    barrier_sync<BARRIER_U, WORKERS>();
  }
  real alpha = 0, beta = 0;
  const int sends = l.send_start[part + 1] - l.send_start[part];
  const PartSend *send_to = l.send + l.send_start[part];
  for (; end == SOLVER_RUNNING; iteration++) {
    number = next_number(number);
    const bool times = v.timed && part == 0 && t == 0;
    const long long began = times ? clock64() : 0;
    // w = A u of own nodes
    for (int tile = warp; tile < tiles; tile += WARPS) {
      real y[DOF] = {};
      unsigned lane_does = does;
      int row_node = 0;
      if (HELD) {
        enum { BATCH = CHUNK < 4 ? CHUNK : 4 };  // entries on their way at once
#pragma unroll
        for (int first = 0; first < CHUNK; first += BATCH) {
          Entry<DOF> other[BATCH];
#pragma unroll
          for (int k = 0; k < BATCH; k++) {
            const unsigned two = column[(first + k) / 2];
            other[k] = read_entry(u + (k % 2 ? two >> 16 : two & 0xffff));
          }
#pragma unroll
          for (int k = 0; k < BATCH; k++)
#pragma unroll
            for (int e = 0; e < DOF; e++)
#pragma unroll
              for (int i = 0; i < DOF; i++) y[i] += A[first + k][i * DOF + e] * other[k].v[e];
        }
      } else {
        const int first = l.step_start[tile_first + tile], last = l.step_start[tile_first + tile + 1];
        lane_does = l.lane[(tile_first + tile) * PART_LANES + lane];
        row_node = l.lane_node[(tile_first + tile) * PART_LANES + lane];
#pragma unroll 4
        for (int step = first; step < last; step++) {
          const real *__restrict__ block = v.values + (size_t)step * SIZE * PART_LANES + lane;
          const Entry<DOF> other = read_entry(u + l.local_column[(size_t)step * PART_LANES + lane]);
#pragma unroll
          for (int i = 0; i < DOF; i++)
#pragma unroll
            for (int e = 0; e < DOF; e++) y[i] += __ldg(block + (i * DOF + e) * PART_LANES) * other.v[e];
        }
      }
      for (int step = 1; step <= l.behind_most; step *= 2)
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          const real behind = __shfl_down_sync(0xffffffff, y[i], step);
          if (lane_behind(lane_does) >= step) y[i] += behind;
        }
      if (!lane_first(lane_does)) continue;
      const int row = lane_row(lane_does);
      const Entry<DOF> mine = read_entry(u + row);
#pragma unroll
      for (int i = 0; i < DOF; i++) {
#pragma unroll
        for (int k = 0; k < DOF; k++)
          y[i] += (HELD ? own_block[symmetric_index(DOF, i < k ? i : k, i < k ? k : i) * pitch + row]
                        : __ldg(v.own_values + (size_t)(i * DOF + k) * v.node_count + row_node)) *
                  mine.v[k];
        w[i * wide + row] = y[i];
      }
    }
    barrier_sync<BARRIER_W, WORKERS>();
    if (times) product_cycles += (unsigned long long)(clock64() - began);
    // sums over own nodes
    real gamma = 0, delta = 0, rr = 0, w_mine[DOF] = {};
    for_nodes(own, [&](int n) {
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const real inverse = HELD ? inverse_mine[i] : inverse_all[i * wide + n];
        const real r = HELD ? r_mine[i] : r_all[i * wide + n];
        const real entry = inverse == 0 ? (real)0 : w[i * wide + n], z = inverse * r;
        w_mine[i] = entry;
        gamma += r * z, delta += entry * z, rr += r * r;
      }
    });
    const real sum = warp_sums(gamma, delta, rr, lane);
    if (lane % 8 == 0 && lane < 24) sums_of[warp][lane / 8] = sum;
    barrier_arrive<BARRIER_SUMS, THREADS>();
    // w of boundary nodes to those next to them
    Packet *inbox = v.inbox + (size_t)(number & 1) * l.halo_count * PACKETS;
#pragma unroll 1
    for (int k = t; k < sends; k += WORKERS) {
      const PartSend to = send_to[k];
      real entry[3] = { 0, 0, 0 };
#pragma unroll
      for (int i = 0; i < DOF; i++) entry[i] = w[i * wide + to.own];
      send(inbox + (size_t)to.place * PACKETS, entry, number);
    }
    // p and x of the iteration before, while sums and packets travel; its u was M^-1 (r + alpha s)
    for_nodes(iteration > 0 ? own : 0, [&](int n) {
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const real inverse = HELD ? inverse_mine[i] : inverse_all[i * wide + n];
        const real r = HELD ? r_mine[i] : r_all[i * wide + n], s = HELD ? s_mine[i] : s_all[i * wide + n];
        const real turned = inverse * (r + alpha * s) + beta * p[i * pitch + n];
        p[i * pitch + n] = turned;
        x[i * pitch + n] += alpha * turned;
      }
    });
    // w of the halo
    for_nodes(locals, [&](int n) {
      if (n < own) return;
      const Packet *from = inbox + (size_t)(halo_first + n - own) * PACKETS;
      real entry[3];
      int tries = 0;
      while (receive(from, entry) != number && tries < TRIES) tries++;
      if (tries == TRIES) lost = 1;
      if (DOF == 1) entry[0] += entry[1] + entry[2];  // zeros, that its packet is loaded whole
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const real inverse = HELD ? inverse_mine[i] : inverse_all[i * wide + n];
        if (HELD)
          w_mine[i] = inverse == 0 ? (real)0 : entry[i];
        else
          w[i * wide + n] = entry[i];
      }
    });
    barrier_sync<BARRIER_DECISION, THREADS>();
    end = told.end;
    if (end != SOLVER_RUNNING) break;
    alpha = told.alpha, beta = told.beta;
    for_nodes(locals, [&](int n) {
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        if (HELD) {
          s_mine[i] = w_mine[i] + beta * s_mine[i];
          r_mine[i] -= alpha * s_mine[i];
          u[n].v[i] = inverse_mine[i] * r_mine[i];
        } else {
          const real inverse = inverse_all[i * wide + n], entry = inverse == 0 ? (real)0 : w[i * wide + n];
          const real s = s_all[i * wide + n] = entry + beta * s_all[i * wide + n];
          const real r = r_all[i * wide + n] -= alpha * s;
          u[n].v[i] = inverse * r;
        }
      }
    });
    barrier_sync<BARRIER_U, WORKERS>();
  }
  // of a matrix that was indefinite at once u, which is downhill
  const bool downhill = end == SOLVER_INDEFINITE && iteration == 0;
  for_nodes(own, [&](int n) {
#pragma unroll
    for (int i = 0; i < DOF; i++) v.x[node[n] * DOF + i] = (downhill ? u[n].v[i] : x[i * pitch + n]) / scale;
  });
}

static void destroy_data(Solver *solver) {
  Data *d = (Data *)solver->data;
  void *arrays[] = { d->view.inbox, d->view.sums, d->view.exchange, d->view.report };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free(d);
}

// Whether a part's blocks and vectors fit into the registers of its block of threads.
static bool held(const PartLayout *l, int dof) {
  return (size_t)(dof * dof) * sizeof(real) <= 9 * sizeof(float) && l->local_most <= WORKERS && l->tile_most <= WARPS &&
         l->step_most <= PART_CHUNK;
}

static size_t shared_bytes(const PartLayout *l, int dof, bool in_registers) {
  const size_t entry = dof == 3 ? 4 : 1, own = (size_t)l->own_most, local = (size_t)l->local_most;
  const size_t d = (size_t)dof, triangle = d * (d + 1) / 2;
  return sizeof(real) *
         (in_registers ? entry * local + (3 * d + triangle) * own : entry * local + 4 * d * local + 2 * d * own);
}

template <int LOADS>
static Kernel kernel_of(int dof, bool in_registers) {
  if (dof == 1) return in_registers ? solve_kernel<1, true, LOADS> : solve_kernel<1, false, LOADS>;
  // never asked for in double
  return in_registers ? solve_kernel<3, sizeof(real) == sizeof(float), LOADS> : solve_kernel<3, false, LOADS>;
}

// What a multiprocessor has, for a kernel that takes so much itself.
static bool fits(size_t bytes, int local_nodes, Error *error) {
  int most = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  return bytes <= (size_t)most ||
         error_set(error, "a part of %d nodes takes %zu KiB of a multiprocessor's memory, and there are %d",
                   local_nodes, (bytes + 1023) / 1024, most / 1024);
}

static bool choose_kernel(Data *d, int dof, Error *error) {
  const PartLayout *l = &d->view.l;
  const bool in_registers = held(l, dof);
  int blocks = 0;
  cudaFuncAttributes attributes;
  d->kernel = l->part_count <= PARTS_USUAL ? kernel_of<PARTS_USUAL / 32>(dof, in_registers)
                                           : kernel_of<PARTS_MOST / 32>(dof, in_registers);
  d->shared_bytes = shared_bytes(l, dof, in_registers);
  CUDA_TRY(cudaFuncGetAttributes(&attributes, (const void *)d->kernel));
  if (!fits(d->shared_bytes + attributes.sharedSizeBytes, l->local_most, error)) return false;
  CUDA_TRY(
      cudaFuncSetAttribute((const void *)d->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)d->shared_bytes));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)d->kernel, THREADS, d->shared_bytes));
  if (blocks * device_multiprocessors(DEVICE_CUDA) >= l->part_count && l->part_count <= PARTS_MOST) return true;
  return error_set(error, "its %d parts cannot all run at once on this GPU", l->part_count);
}

// Without the operator: equal parts without their halos.
static bool suits(const Space *space, const Operator *A, Error *error) {
  const int own = space->node_count / (device_multiprocessors(DEVICE_CUDA) + 1);
  Data d = {};
  d.view.l.own_most = d.view.l.local_most = own;
  if (A) d.view.l = *A->parts;
  return (A ? choose_kernel(&d, space->node_dof, error)
            : fits(shared_bytes(&d.view.l, space->node_dof, false), own, error)) ||
         error_prefix(error, "solver resident");
}

static bool create(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  const SolverSystem *system = &solver->system;
  const Operator *A = system->A;
  const int dof = A->space->node_dof;
  Data *d = (Data *)array_new(1, sizeof *d, "solver data", error);
  solver->data = d;
  if (!d) return false;
  View &v = d->view;
  v.l = *A->parts;
  v.node_count = A->space->node_count;
  v.iterations_max = system->iterations_max;
  v.b = (const real *)system->b, v.x = (real *)system->x, v.fixed = system->fixed, v.stop = solver->stop;
  v.values = (const real *)A->values, v.blocks = (const real *)A->blocks;
  v.own_values = v.values + A->value_count - (int64_t)v.node_count * dof * dof;
  if (!choose_kernel(d, dof, error)) return false;
  const size_t packets = sizeof(Packet) * 2 * PACKETS;
  v.inbox = (Packet *)device_alloc(DEVICE_CUDA, packets * (size_t)v.l.halo_count, error);
  v.sums = (Packet *)device_alloc(DEVICE_CUDA, packets * SUM_COPIES * (size_t)v.l.part_count, error);
  v.exchange = (unsigned *)device_alloc(DEVICE_CUDA, sizeof *v.exchange, error);
  v.report = (SolverReport *)device_alloc(DEVICE_CUDA, sizeof *v.report, error);
  return v.inbox && v.sums && v.exchange && v.report;
}

static bool launch(const Data *d, View v, Stream stream, Error *error) {
  void *arguments[] = { &v };
  CUDA_TRY(cudaLaunchCooperativeKernel((const void *)d->kernel, dim3((unsigned)v.l.part_count), dim3(THREADS),
                                       arguments, d->shared_bytes, (cudaStream_t)stream.handle));
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  View v = d->view;
  v.timed = solver->timed;
  v.relative = solver->system.relative;
  return launch(d, v, stream, error) &&
         device_download(stream, solver->report, v.report, sizeof *solver->report, error);
}

// what is recorded of a solve
typedef struct Recording {
  const Data *data;
  const double *relative;
} Recording;

static bool queue(void *recording, Stream stream, Error *error) {
  const Recording *r = (const Recording *)recording;
  View v = r->data->view;
  v.relative_later = r->relative;
  return launch(r->data, v, stream, error);
}

static bool record(Solver *solver, GraphChain *chain, const double *relative, const SolverReport **report,
                   Stream stream, Error *error) {
  Recording r = { (const Data *)solver->data, relative };
  *report = r.data->view.report;
  return graph_record(chain, stream, queue, &r, error);
}

static void describe(const Solver *solver, char *text, size_t size) {
  const PartLayout *l = &((const Data *)solver->data)->view.l;
  snprintf(text, size, "%d parts of at most %d nodes, blocks %s", l->part_count, l->own_most,
           held(l, solver->system.A->space->node_dof) ? "in registers" : "read in every product");
}

// Packets of halos, as many as a third of the nodes. What an iteration reads depends on what fits the multiprocessors;
// one exchange it always waits for.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  StageBytes bytes = stage_takes(stage, 2.0 * PACKETS * sizeof(Packet) * size->nodes / 3);
  bytes.work[WORK_ITERATION].exchanges = 1;
  return bytes;
}

extern "C" {
extern const SolverMethod REAL_NAME(resident_cuda);
const SolverMethod REAL_NAME(resident_cuda) = {
  { STAGE_SOLVER, "resident", "conjugate gradients part by part, diagonal preconditioner", NULL, DEVICE_CUDA,
    REAL_PRECISION, false, bytes },
  PRECONDITION_DIAGONAL,
  create,
  destroy_data,
  solve,
  "parts",
  true,
  suits,
  record,
  describe,
};
}
