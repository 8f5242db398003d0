// The resident solver on the GPU, the twin of resident.c: a whole solve in one kernel. Each multiprocessor takes a part
// of the matrix (part_layout.h) and keeps its vectors; where they fit, its blocks too, in registers. What parts tell
// each other travels in packets of 16 bytes that carry the number of the exchange with the payload, so that whoever
// waits for one polls it, and no barrier of the whole GPU is needed. A packet's place is used every second exchange:
// whoever sends the one after next has heard, in the sums between, that all have read the last.
//
// In a block of threads one warp, the last, adds up the part's sums, exchanges them and decides; the others multiply
// and keep the vectors. All parts decide alike, since all add up the same sums in the same order: a run repeats bit for
// bit. All waits are bounded. The blocks are launched cooperatively, so that all of them run at once.
//
// Here is the form that keeps blocks and vectors in registers; resident_stream.cuh has those for larger bodies.
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/krylov/coarse.cuh"
#include "sim/krylov/part_aggregates.h"
#include "sim/krylov/preconditioner.h"
#include "sim/krylov/resident_stream.cuh"
#include "sim/krylov/resident_term.cuh"

// Steps of a tile whose blocks of so many bytes are held in registers; those of the others are in shared memory.
static constexpr __host__ __device__ int steps_held(size_t block_bytes) {
  return block_bytes <= 9 * sizeof(float) ? (int)PART_CHUNK : 3;
}

// The forms of the solver, by what a multiprocessor holds.
typedef enum Form {
  FORM_HELD,  // blocks and vectors
  FORM_NEAR,  // vectors; blocks are read in every product
  FORM_FAR,   // of vectors u alone
} Form;

typedef void (*Kernel)(View v);

typedef struct Data {
  View view;
  Form form;
  Kernel kernel;
  size_t shared_bytes;
  bool two_levels;
  CoarseCuda coarse;
  Kernel term_kernel;  // the same with the operator's term; NULL: it takes none
} Data;

// What never changes of a thread of held_kernel. One with the first chunk of a row keeps that row's node, so that what
// it multiplies need not travel; the others, in their order, keep those of the halo, and some none.
static __global__ void __launch_bounds__(THREADS) held_threads_kernel(const PartLayout l, HeldThread *threads) {
  __shared__ int others[WARPS + 1];
  const int part = blockIdx.x, t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int own = l.own_start[part + 1] - l.own_start[part], halo_first = l.halo_start[part];
  const int locals = own + l.halo_start[part + 1] - halo_first, tile = l.tile_start[part] + warp;
  HeldThread mine = {};
  if (tile < l.tile_start[part + 1]) {
    mine.first = l.step_start[tile], mine.steps = (uint16_t)(l.step_start[tile + 1] - mine.first);
    mine.does = l.lane[tile * PART_LANES + lane];
    for (int k = 0; k < mine.steps; k++)
      mine.column[k / 2] |= (unsigned)l.local_column[(size_t)(mine.first + k) * PART_LANES + lane] << k % 2 * 16;
  }
  const unsigned owners = __ballot_sync(0xffffffff, lane_first(mine.does));
  if (lane == 0) others[warp] = 32 - __popc(owners);
  __syncthreads();
  int local = lane_first(mine.does) ? lane_row(mine.does) : own + __popc(~owners & ((1u << lane) - 1));
  for (int k = 0; !lane_first(mine.does) && k < warp; k++) local += others[k];
  mine.local = (uint16_t)local;
  mine.node = local < locals ? l.node[l.own_start[part] + halo_first + local] : -1;
  threads[part * THREADS + t] = mine;
}

// Blocks and vectors of a part on the multiprocessor, a thread for each local node and for each chunk. HALVES: of
// parts16. COARSE: with a coarse space. TERM: with the operator's term.
template <int DOF, bool HALVES, int LOADS, bool COARSE, bool TERM>
static __global__ void __launch_bounds__(THREADS, 1) held_kernel(const View v) {
  enum { SIZE = DOF * DOF, TRIANGLE = DOF * (DOF + 1) / 2, HELD = steps_held(SIZE * sizeof(real)) };
  static_assert(DOF == 3 || (!COARSE && !TERM), "rigid motions are of three unknowns, and so is a term");
  static_assert(!COARSE || !TERM, "both would have the same room");
  extern __shared__ __align__(32) unsigned char room[];
  __shared__ Entry<3> sums_of[WARPS + 1];
  __shared__ Decision told;
  __shared__ int lost;
  __shared__ unsigned long long product_cycles;
  const PartLayout &l = v.l;
  const int part = blockIdx.x, t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int own = l.own_start[part + 1] - l.own_start[part], halo_first = l.halo_start[part];
  const int tile_first = l.tile_start[part];
  const int tiles = l.tile_start[part + 1] - tile_first;
  // shared memory: u of all local nodes; w, p, x and own blocks of own nodes; blocks that registers do not hold
  const int pitch = l.own_most;
  Entry<DOF> *u = (Entry<DOF> *)room;
  real *w = (real *)(u + l.local_most), *p = w + DOF * pitch, *x = p + DOF * pitch, *own_block = x + DOF * pitch;
  real *beside = own_block + TRIANGLE * pitch;  // [steps][SIZE][WORKERS]
  // what never changes is read first: whether the solve is wanted comes meanwhile
  const HeldThread held = v.held[part * THREADS + t];
  unsigned number = first_number<COARSE>(v);
  real scale = known_scale(v);
  if (unwanted(v)) return;
  if (t == 0) lost = 0, product_cycles = 0;

  if (warp == WARPS) {
    decide<LOADS>(v, sums_of, &told, number, &lost, &product_cycles);
    return;
  }

  const CoarseOf<COARSE> coarse(v.c, part, l.own_start[part] + halo_first,
                                beside + (PART_CHUNK - HELD) * SIZE * WORKERS);
  // what the thread's node has: r = b, the rest 0; M^-1 is 0 where the unknown is held
  const bool keeps_own = lane_first(held.does), keeps = held.node >= 0;
  const int mine = held.local;
  const int row = TERM && keeps_own && v.rows->count > 0 ? v.rows->row_of[held.node] : -1;  // of the node in the term
  real r_mine[DOF] = {}, s_mine[DOF] = {}, inverse_mine[DOF] = {}, block[TRIANGLE] = {};
  bool fixed[DOF] = {};
  if (keeps) {
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      fixed[i] = v.fixed[held.node * DOF + i], r_mine[i] = v.b[held.node * DOF + i];
#pragma unroll
      for (int k = i; k < DOF; k++)
        block[symmetric_index(DOF, i, k)] = v.blocks[(size_t)held.node * SIZE + i * DOF + k];
    }
  }
  // blocks of the thread's chunk
  real A[HELD][SIZE];
  if (warp < tiles) {
#pragma unroll
    for (int k = 0; k < PART_CHUNK; k++) {
#pragma unroll
      for (int e = 0; e < SIZE; e++) {
        const real entry = k >= held.steps ? (real)0
                           : HALVES        ? rounded_entry<DOF>(l, tile_first + warp, lane, k, e / DOF, e % DOF)
                                           : v.values[((size_t)(held.first + k) * SIZE + e) * PART_LANES + lane];
        if (k < HELD)
          A[k < HELD ? k : 0][e] = entry;
        else
          beside[((k - HELD) * SIZE + e) * WORKERS + t] = entry;
      }
    }
  }
  real most = 0;
#pragma unroll
  for (int i = 0; i < DOF; i++) {
    if (fixed[i]) r_mine[i] = 0;
    const real size = r_mine[i] < 0 ? -r_mine[i] : r_mine[i];
    if (keeps && !fixed[i]) inverse_mine[i] = inverse_of_entry(block[symmetric_index(DOF, i, i)]);
    if (!keeps_own) continue;
    if (!(size <= most)) most = isfinite(size) ? size : (real)INFINITY;  // also what is not a number
    p[i * pitch + mine] = 0, x[i * pitch + mine] = 0;
#pragma unroll
    for (int k = i; k < DOF; k++)
      own_block[symmetric_index(DOF, i, k) * pitch + mine] = block[symmetric_index(DOF, i, k)];
  }
  int end = SOLVER_RUNNING, iteration = 0;
  if (scale == 0) {
    most = warp_most(most);
    if (lane == 0) sums_of[warp].v[0] = most;
    barrier_arrive<BARRIER_SUMS, THREADS>();
    number = next_number(number);
    barrier_sync<BARRIER_DECISION, THREADS>();
    scale = told.scale, end = told.end;
  }
  if (end == SOLVER_RUNNING) {
    if (keeps)
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        r_mine[i] *= scale;
        u[mine].v[i] = inverse_mine[i] * r_mine[i];
      }
    if constexpr (COARSE) {
      coarse.tell(number, [&](auto add) {
        if (keeps_own) add(mine, r_mine);
      });
      coarse.answer(number, &lost);
      coarse.update(true, 0, 0);
      real moved[3] = {};
      if (keeps) coarse.moved_by(coarse.y, mine, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++)
        if (inverse_mine[i] != 0) u[mine].v[i] += moved[i];
    }
    barrier_sync<BARRIER_U, WORKERS>();
  }
  real alpha = 0, beta = 0;
  const int sends = l.send_start[part + 1] - l.send_start[part];
  const PartSend *send_to = l.send + l.send_start[part];
  for (; end == SOLVER_RUNNING; iteration++) {
    number = next_number(number);
    const bool times = v.timed && part == 0 && t == 0;
    const long long began = times ? clock64() : 0;
    if constexpr (TERM)
      if (row >= 0) send(v.board + (size_t)held.node * PACKETS, u[mine].v, number);
    // w = A u of own nodes
    real w_mine[DOF] = {};
    for (int tile = warp; tile < tiles; tile += WARPS) {  // one at most; as a loop it takes fewer registers
      enum { BATCH = HELD < PART_CHUNK ? 2 : 4 };         // entries on their way at once
      real y[DOF] = {};
      if (keeps_own) {
        const Entry<DOF> entry = read_entry(u + mine);
#pragma unroll
        for (int i = 0; i < DOF; i++)
#pragma unroll
          for (int k = 0; k < DOF; k++)
            y[i] += own_block[symmetric_index(DOF, i < k ? i : k, i < k ? k : i) * pitch + mine] * entry.v[k];
      }
#pragma unroll
      for (int first = 0; first < PART_CHUNK; first += BATCH) {
        Entry<DOF> other[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
          const unsigned two = held.column[(first + k) / 2];
          other[k] = read_entry(u + (k % 2 ? two >> 16 : two & 0xffff));
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++)
#pragma unroll
          for (int e = 0; e < DOF; e++)
#pragma unroll
            for (int i = 0; i < DOF; i++) {
              const int at = first + k, entry = i * DOF + e;
              y[i] += (at < HELD ? A[at < HELD ? at : 0][entry] : beside[((at - HELD) * SIZE + entry) * WORKERS + t]) *
                      other[k].v[e];
            }
      }
      add_behind<DOF>(y, held.does, l.behind_most);
      if (keeps_own) {
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          w[i * pitch + mine] = y[i];
          w_mine[i] = inverse_mine[i] == 0 ? (real)0 : y[i];
        }
      }
    }
    if constexpr (TERM) {
      real of_term[3];
      if (!multiply_term(*v.rows, v.board, v.row_sums, number)) lost = 1;
      if (row >= 0 && !await<3>(v.row_sums + (size_t)row * PACKETS, number, of_term)) lost = 1;
#pragma unroll
      for (int i = 0; i < DOF && row >= 0; i++) {
        const real y = w[i * pitch + mine] += of_term[i];
        w_mine[i] = inverse_mine[i] == 0 ? (real)0 : y;
      }
    }
    if (times) product_cycles += (unsigned long long)(clock64() - began);
    // sums over own nodes
    real gamma = 0, delta = 0, rr = 0;
    if (keeps_own)
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const real z = COARSE ? u[mine].v[i] : inverse_mine[i] * r_mine[i];
        gamma += r_mine[i] * z, delta += w_mine[i] * z, rr += r_mine[i] * r_mine[i];
      }
    const real sum = warp_sums(gamma, delta, rr, lane);
    if (lane % 8 == 0 && lane < 24) sums_of[warp].v[lane / 8] = sum;
    barrier_arrive<BARRIER_SUMS, THREADS>();
    // w of boundary nodes to those next to them
    if constexpr (COARSE)
      coarse.tell(number, [&](auto add) {
        if (keeps_own) add(mine, w_mine);
      });
    else
      barrier_sync<BARRIER_W, WORKERS>();
    Packet *inbox = v.inbox + (size_t)(number & 1) * l.halo_count * PACKETS;
#pragma unroll 1
    for (int k = t; k < sends; k += WORKERS) {
      const PartSend to = send_to[k];
      real entry[3] = { 0, 0, 0 };
#pragma unroll
      for (int i = 0; i < DOF; i++) entry[i] = w[i * pitch + to.own];
      send(inbox + (size_t)to.place * PACKETS, entry, number);
    }
    // p and x of the iteration before, while sums and packets travel; its u was M^-1 (r + alpha s)
    if (iteration > 0 && keeps_own) {
      real moved[3] = {};
      if constexpr (COARSE) coarse.moved_by(coarse.y_before, mine, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        real before = inverse_mine[i] * (r_mine[i] + alpha * s_mine[i]);
        if (COARSE && inverse_mine[i] != 0) before += moved[i];
        const real turned = before + beta * p[i * pitch + mine];
        p[i * pitch + mine] = turned;
        x[i * pitch + mine] += alpha * turned;
      }
    }
    // w of the halo
    if (keeps && !keeps_own) {
      real entry[3];
      if (!await<DOF>(inbox + (size_t)(halo_first + mine - own) * PACKETS, number, entry)) lost = 1;
#pragma unroll
      for (int i = 0; i < DOF; i++) w_mine[i] = inverse_mine[i] == 0 ? (real)0 : entry[i];
    }
    if constexpr (COARSE) coarse.answer(number, &lost);
    barrier_sync<BARRIER_DECISION, THREADS>();
    end = told.end;
    if (end != SOLVER_RUNNING) break;
    alpha = told.alpha, beta = told.beta;
    if constexpr (COARSE) coarse.update(false, alpha, beta);
    if (keeps) {
      real moved[3] = {};
      if constexpr (COARSE) coarse.moved_by(coarse.y, mine, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        s_mine[i] = w_mine[i] + beta * s_mine[i];
        r_mine[i] -= alpha * s_mine[i];
        const real share = inverse_mine[i] * r_mine[i];
        u[mine].v[i] = COARSE && inverse_mine[i] != 0 ? share + moved[i] : share;
      }
    }
    barrier_sync<BARRIER_U, WORKERS>();
  }
  // of a matrix that was indefinite at once u, which is downhill
  const bool downhill = end == SOLVER_INDEFINITE && iteration == 0;
  if (keeps_own)
#pragma unroll
    for (int i = 0; i < DOF; i++) v.x[held.node * DOF + i] = (downhill ? u[mine].v[i] : x[i * pitch + mine]) / scale;
}

static void destroy_data(Solver *solver) {
  Data *d = (Data *)solver->data;
  const View &v = d->view;
  const PartCoarse &c = v.c;
  const void *arrays[] = { v.held,     v.inbox,     v.sums,       v.exchange, v.report, v.own_blocks, v.far,   v.board,
                           v.row_sums, c.own_start, c.near_start, c.near,     c.slot,   c.placed,     c.omega, c.psi };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, (void *)arrays[k]);
  REAL_NAME(coarse_cuda_destroy)(&d->coarse);
  free(d);
}

// of the vectors; a coarse space takes coarse_bytes beside them
static size_t shared_bytes(Form form, const PartLayout *l, int dof, bool two_levels) {
  const size_t entry = form == FORM_FAR ? (size_t)dof : dof == 3 ? 4 : 1, d = (size_t)dof, triangle = d * (d + 1) / 2;
  const size_t own = (size_t)l->own_most, local = (size_t)l->local_most;
  const size_t blocks = (size_t)(PART_CHUNK - steps_held(d * d * sizeof(real))) * d * d * WORKERS;
  const size_t beside = form == FORM_HELD   ? (3 * d + triangle) * own + blocks
                        : form == FORM_NEAR ? d * ((two_levels ? 3 : 2) * local + 3 * own)
                                            : 0;
  return sizeof(real) * (entry * local + beside);
}

template <int DOF, bool HALVES, int LOADS, bool COARSE>
static Kernel kernel_of_form(Form form) {
  if (form == FORM_NEAR) return stream_kernel<DOF, HALVES, false, LOADS, COARSE>;
  if (form == FORM_FAR) return stream_kernel<DOF, HALVES, true, LOADS, COARSE>;
  return held_kernel<DOF, HALVES, LOADS, COARSE, false>;
}

template <int DOF, int LOADS, bool COARSE>
static Kernel kernel_of(Form form, bool halves) {
  return halves ? kernel_of_form<DOF, true, LOADS, COARSE>(form) : kernel_of_form<DOF, false, LOADS, COARSE>(form);
}

template <int LOADS>
static Kernel kernel_of(Form form, int dof, bool halves, bool two_levels) {
  if (two_levels) return kernel_of<3, LOADS, true>(form, halves);
  return dof == 1 ? kernel_of<1, LOADS, false>(form, halves) : kernel_of<3, LOADS, false>(form, halves);
}

// Whether a block of threads has a thread for each of a part's local nodes and chunks.
static bool held(const PartLayout *l, int dof) {
  return dof <= 3 && l->local_most <= WORKERS && l->tile_most <= WARPS && l->step_most <= PART_CHUNK;
}

// What a multiprocessor has for vectors, where so much is taken beside them. $PLIANT_RESIDENT_KIB, where set, is an
// upper bound, and blocks are not held in registers: so that tests meet each form.
static bool shared_memory_most(size_t beside, size_t *most, Error *error) {
  enum { STATIC = 1024 };  // what kernels have beside it, at most
  const char *bound = getenv("PLIANT_RESIDENT_KIB");
  int all = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  *most = (size_t)all > beside + STATIC ? (size_t)all - beside - STATIC : 0;
  if (bound && strtoull(bound, NULL, 10) < *most / 1024) *most = 1024 * (size_t)strtoull(bound, NULL, 10);
  return true;
}

// The first form that fits.
static bool choose_form(const View *v, int dof, Form *form, Error *error) {
  const PartLayout *l = &v->l;
  const bool two_levels = v->c.count > 0;
  size_t most = 0;
  if (!shared_memory_most(coarse_bytes(&v->c), &most, error)) return false;
  *form = held(l, dof) && !getenv("PLIANT_RESIDENT_KIB") ? FORM_HELD : FORM_NEAR;
  while (*form < FORM_FAR && shared_bytes(*form, l, dof, two_levels) > most) *form = (Form)(*form + 1);
  const size_t bytes = shared_bytes(*form, l, dof, two_levels);
  return bytes <= most ||
         error_set(error, "a part of %d nodes takes %zu KiB of a multiprocessor's memory, and there are %zu",
                   l->local_most, (bytes + 1023) / 1024, most / 1024);
}

static bool choose_kernel(Data *d, int dof, Error *error) {
  const PartLayout *l = &d->view.l;
  const bool halves = l->halves.unit;
  int blocks = 0;
  if (!choose_form(&d->view, dof, &d->form, error)) return false;
  d->kernel = l->part_count <= PARTS_USUAL ? kernel_of<PARTS_USUAL / 32>(d->form, dof, halves, d->two_levels)
                                           : kernel_of<PARTS_MOST / 32>(d->form, dof, halves, d->two_levels);
  d->shared_bytes = shared_bytes(d->form, l, dof, d->two_levels) + coarse_bytes(&d->view.c);
  CUDA_TRY(
      cudaFuncSetAttribute((const void *)d->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)d->shared_bytes));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)d->kernel, THREADS, d->shared_bytes));
  if (blocks * device_multiprocessors(DEVICE_CUDA) >= l->part_count && l->part_count <= PARTS_MOST) return true;
  return error_set(error, "its %d parts cannot all run at once on this GPU", l->part_count);
}

// The kernel that takes the operator's term too, where blocks are held whole.
static bool choose_term_kernel(Data *d, const Operator *A, Error *error) {
  const PartLayout *l = &d->view.l;
  int blocks = 0;
  if (!A->term.rows || A->space->node_dof != 3 || d->form != FORM_HELD || l->halves.unit || d->two_levels) return true;
  const Kernel kernel = l->part_count <= PARTS_USUAL ? held_kernel<3, false, PARTS_USUAL / 32, false, true>
                                                     : held_kernel<3, false, PARTS_MOST / 32, false, true>;
  CUDA_TRY(
      cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)d->shared_bytes));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, THREADS, d->shared_bytes));
  if (blocks * device_multiprocessors(DEVICE_CUDA) < l->part_count) return true;
  const size_t packets = sizeof(Packet) * PACKETS * (size_t)d->view.node_count;
  d->view.rows = A->term.rows;
  d->view.board = (Packet *)device_alloc(DEVICE_CUDA, packets, error);
  d->view.row_sums = (Packet *)device_alloc(DEVICE_CUDA, packets, error);  // as many as nodes, if all have a row
  d->term_kernel = kernel;
  return d->view.board && d->view.row_sums;
}

// Without the operator: equal parts without their halos.
static bool suits(const Space *space, const Operator *A, Error *error) {
  const int parts = part_count_for(DEVICE_CUDA, space->node_count), units = device_multiprocessors(DEVICE_CUDA);
  Data d = {};
  if (space->node_dof == 2) return error_set(error, "solver resident: it takes nodes of 1 or 3 unknowns, not of 2");
  d.view.l.own_most = d.view.l.local_most = space->node_count / (parts + 1);
  if (A) d.view.l = *A->parts;
  const bool ok = A               ? choose_kernel(&d, space->node_dof, error)
                  : parts > units ? error_set(error, "the GPU's %d multiprocessors would take %d parts", units, parts)
                                  : choose_form(&d.view, space->node_dof, &d.form, error);
  return ok || error_prefix(error, "solver resident");
}

// Of equal parts, too.
static bool reads(const Space *space) {
  Data d = {};
  Error ignored = {};
  d.view.l.own_most = d.view.l.local_most = space->node_count / (part_count_for(DEVICE_CUDA, space->node_count) + 1);
  return choose_form(&d.view, space->node_dof, &d.form, &ignored) && d.form != FORM_HELD;
}

static bool holds(const Solver *solver) {
  return ((const Data *)solver->data)->form == FORM_HELD;
}

static int *clone_ints(const int *host, int count, Error *error) {
  return (int *)device_clone(DEVICE_CUDA, host, sizeof *host * (size_t)count, error);
}

// the lists of a coarse space, and what it is told by
static bool copy_coarse(Data *d, const PartAggregates *near, const Aggregates *g, const Operator *A, Error *error) {
  PartCoarse &c = d->view.c;
  const int parts = A->parts->part_count, locals = A->space->node_count + A->parts->halo_count;
  if (!REAL_NAME(coarse_cuda_create)(&d->coarse, g, A, error)) return false;
  c.count = g->count, c.n = d->coarse.view.n, c.near_most = near->near_most, c.own_most = near->own_most;
  c.B = d->coarse.B;
  const size_t packets = sizeof(Packet) * 2 * 2 * PACKETS * (size_t)c.count;
  return (c.own_start = clone_ints(near->own_start, parts + 1, error)) &&
         (c.near_start = clone_ints(near->near_start, parts + 1, error)) &&
         (c.near = clone_ints(near->near, near->near_start[parts], error)) &&
         (c.slot = clone_ints(near->slot, locals, error)) &&
         (c.placed = (real *)device_alloc(DEVICE_CUDA, sizeof *c.placed * 4 * (size_t)locals, error)) &&
         (c.omega = (Packet *)device_alloc(DEVICE_CUDA, packets * OMEGA_COPIES, error)) &&
         (c.psi = (Packet *)device_alloc(DEVICE_CUDA, packets, error));
}

static bool create_coarse(Data *d, const Operator *A, Stream stream, Error *error) {
  PartAggregates near;
  Aggregates g;
  if (A->space->node_dof != 3) return error_set(error, "it takes nodes of 3 unknowns, not of %d", A->space->node_dof);
  const bool ok = part_aggregates_create(&near, &g, A, stream, error) && copy_coarse(d, &near, &g, A, error);
  part_aggregates_destroy(&near);
  aggregates_destroy(&g);
  return ok;
}

// the coarse space of the matrix as it is, unless the solver keeps the last one
static bool make_coarse(const Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  const View &v = d->view;
  const int locals = v.node_count + v.l.halo_count;
  cudaStream_t s = (cudaStream_t)stream.handle;
  if (!d->two_levels || solver->keeps) return true;
  if (!REAL_NAME(coarse_cuda_make)(&d->coarse, &solver->system, s, error)) return false;
  place_kernel<<<(locals + THREADS - 1) / THREADS, THREADS, 0, s>>>(v.c, v.l.node, locals, d->coarse.view.arm);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool make_held_threads(View *v, Stream stream, Error *error) {
  const size_t count = (size_t)v->l.part_count * THREADS;
  HeldThread *threads = (HeldThread *)device_alloc(DEVICE_CUDA, sizeof *threads * count, error);
  v->held = threads;
  if (!threads) return false;
  held_threads_kernel<<<v->l.part_count, THREADS, 0, (cudaStream_t)stream.handle>>>(v->l, threads);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool create(Solver *solver, Stream stream, Error *error) {
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
  d->two_levels = solver->method->precondition == PRECONDITION_COARSE;
  if ((d->two_levels && !create_coarse(d, A, stream, error)) || !choose_kernel(d, dof, error) ||
      !choose_term_kernel(d, A, error))
    return false;
  solver->takes_term = d->term_kernel;
  const size_t packets = sizeof(Packet) * 2 * PACKETS;
  v.inbox = (Packet *)device_alloc(DEVICE_CUDA, packets * (size_t)v.l.halo_count, error);
  v.sums = (Packet *)device_alloc(DEVICE_CUDA, packets * SUM_COPIES * (size_t)v.l.part_count, error);
  v.exchange = (unsigned *)device_alloc(DEVICE_CUDA, sizeof *v.exchange, error);
  v.report = (SolverReport *)device_alloc(DEVICE_CUDA, sizeof *v.report, error);
  if (!v.inbox || !v.sums || !v.exchange || !v.report) return false;
  if (d->form == FORM_HELD) return make_held_threads(&v, stream, error);
  const size_t triangle = (size_t)(dof * (dof + 1) / 2) * (size_t)aligned_count(v.l.own_most);
  const size_t parts = (size_t)v.l.part_count, real_size = sizeof(real);
  v.own_blocks = (real *)device_alloc(DEVICE_CUDA, real_size * parts * triangle, error);
  if (!v.own_blocks || d->form == FORM_NEAR) return v.own_blocks;
  const size_t far = dof == 1 ? far_count<1>(v.l, d->two_levels) : far_count<3>(v.l, d->two_levels);
  v.far = (real *)device_alloc(DEVICE_CUDA, real_size * parts * far, error);
  return v.far;
}

static bool launch(const Data *d, View v, bool with_term, Stream stream, Error *error) {
  void *arguments[] = { &v };
  const bool term = with_term && d->term_kernel;
  CUDA_TRY(cudaLaunchCooperativeKernel((const void *)(term ? d->term_kernel : d->kernel),
                                       dim3((unsigned)v.l.part_count), dim3(THREADS), arguments, d->shared_bytes,
                                       (cudaStream_t)stream.handle));
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  View v = d->view;
  v.timed = solver->timed;
  v.relative = solver->system.relative, v.norm = solver->system.norm;
  return make_coarse(solver, stream, error) && launch(d, v, solver->with_term, stream, error) &&
         device_download(stream, solver->report, v.report, sizeof *solver->report, error);
}

// what is recorded of a solve
typedef struct Recording {
  const Solver *solver;
  const SolverInputs *inputs;
} Recording;

static bool queue(void *recording, Stream stream, Error *error) {
  const Recording *r = (const Recording *)recording;
  const Data *d = (const Data *)r->solver->data;
  View v = d->view;
  v.later = *r->inputs;
  return make_coarse(r->solver, stream, error) && launch(d, v, false, stream, error);
}

static bool record(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                   Stream stream, Error *error) {
  Recording r = { solver, inputs };
  *report = ((const Data *)solver->data)->view.report;
  return graph_record(chain, stream, queue, &r, error);
}

static void describe(const Solver *solver, char *text, size_t size) {
  static const char *const places[] = { "kept on the multiprocessors", "read in every product",
                                        "and most vectors read in every iteration" };
  const Data *d = (const Data *)solver->data;
  snprintf(text, size, "%d parts of at most %d nodes, blocks %s", d->view.l.part_count, d->view.l.own_most,
           places[d->form]);
}

// Packets of halos, as many as a third of the nodes, and what does not fit the multiprocessors, if parts are equal, and
// a coarse space. One exchange an iteration always waits for, with that two.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const int units = device_multiprocessors(DEVICE_CUDA), dof = (int)size->node_dof;
  const double packets = 2.0 * PACKETS * sizeof(Packet) * size->nodes / 3, number = sizeof(real) * size->nodes;
  const bool two_levels = ((const SolverMethod *)stage)->precondition == PRECONDITION_COARSE;
  StageBytes bytes = stage_takes(stage, packets);
  if (two_levels) solver_add_coarse(stage, size, &bytes);
  bytes.work[WORK_ITERATION].exchanges = two_levels ? 2 : 1;
  PartLayout l = {};
  l.own_most = units > 0 ? (int)(size->nodes / units) : 0;
  l.local_most = l.own_most * 4 / 3;
  size_t most = 0;
  Error ignored = {};
  if (l.local_most <= WORKERS || !shared_memory_most(0, &most, &ignored)) return bytes;
  const double triangle = dof * (dof + 1) / 2.0 * number;
  StageTraffic *iteration = &bytes.work[WORK_ITERATION];
  bytes.on[DEVICE_CUDA] += triangle;
  if (shared_bytes(FORM_NEAR, &l, dof, two_levels) <= most) return bytes;
  // with a coarse space M^-1 and z of all local nodes too, and x in each iteration: see resident_stream.cuh
  const double more = two_levels ? 4 / 3.0 : 0;
  bytes.on[DEVICE_CUDA] += dof * number * (3 + 4 / 3.0 + 2 * more);
  iteration->read += dof * number * (3.5 + 1 / 3.0 + (two_levels ? 0.5 : 0) + 2 * more) + packets / 2;
  iteration->written += dof * number * (3.5 + 1 / 3.0 + (two_levels ? 0.5 : 0) + more) + packets / 2;
  return bytes;
}

extern "C" {
extern const SolverMethod REAL_NAME(resident_cuda), REAL_NAME(resident_schwarz_cuda);
const SolverMethod REAL_NAME(resident_cuda) = {
  { STAGE_SOLVER, "resident", "conjugate gradients part by part, diagonal preconditioner", NULL, DEVICE_CUDA,
    REAL_PRECISION, false, bytes },
  PRECONDITION_DIAGONAL,
  create,
  destroy_data,
  solve,
  "parts",
  "parts16",
  true,
  suits,
  holds,
  record,
  describe,
  reads,
};
const SolverMethod REAL_NAME(resident_schwarz_cuda) = {
  { STAGE_SOLVER, "resident_schwarz", "the same, and rigid motions of the parts: stiff bodies", NULL, DEVICE_CUDA,
    REAL_PRECISION, false, bytes },
  PRECONDITION_COARSE,
  create,
  destroy_data,
  solve,
  "parts",
  "parts16",
  false,
  NULL,
  holds,
  record,
  describe,
  reads,
};
}
