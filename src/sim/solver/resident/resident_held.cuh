// The resident solver for bodies whose blocks and vectors fit the multiprocessors: a part's blocks stay in registers,
// its vectors in shared memory, for a whole solve. A thread keeps a local node, and the chunk that it multiplies.
#pragma once
#include "sim/operator/parts/part_halves.cuh"
#include "sim/solver/preconditioner.h"
#include "sim/solver/resident/resident_coarse.cuh"
#include "sim/solver/resident/resident_term.cuh"

// Steps of a tile whose blocks of so many bytes are held in registers; those of the others are in shared memory.
static constexpr __host__ __device__ int steps_held(size_t block_bytes) {
  return block_bytes <= 9 * sizeof(float) ? (int)PART_CHUNK : 3;
}

// What never changes of a thread of held_kernel. One with the first chunk of a row keeps that row's node, so that what
// it multiplies need not travel; the others, in their order, keep those of the halo, and some none.
static __global__ void __launch_bounds__(THREADS)
    held_threads_kernel(const PartLayout l, int dof, HeldThread *threads) {
  __shared__ int others[WARPS + 1];
  const int part = blockIdx.x, t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int own = l.own_start[part + 1] - l.own_start[part], halo_first = l.halo_start[part];
  const int locals = own + l.halo_start[part + 1] - halo_first, tile = l.tile_start[part] + warp;
  HeldThread mine = {};
  if (tile < l.tile_start[part + 1]) {
    mine.first = l.step_start[tile], mine.steps = (uint16_t)(l.step_start[tile + 1] - mine.first);
    mine.does = l.lane[tile * PART_LANES + lane];
    for (int k = 0; k < mine.steps; k++)
      mine.column[k / 2] |= (unsigned)part_local_column(&l, tile, lane, k, dof) << k % 2 * 16;
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
    if (keeps && !fixed[i]) inverse_mine[i] = inverse_of_entry(block[symmetric_index(DOF, i, i)]);
    if (!keeps_own) continue;
    grow_most(r_mine[i], &most);
    p[i * pitch + mine] = 0, x[i * pitch + mine] = 0;
#pragma unroll
    for (int k = i; k < DOF; k++)
      own_block[symmetric_index(DOF, i, k) * pitch + mine] = block[symmetric_index(DOF, i, k)];
  }
  int end = SOLVER_RUNNING, iteration = 0;
  if (scale == 0) agree_on_scale(most, sums_of, &told, &number, &scale, &end);
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
    const unsigned began_sending = clock();
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
      pass_cycles(began_sending, HALO_CYCLES);
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
