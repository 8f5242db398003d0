// The resident solver (resident.h) for bodies whose matrix blocks and vectors fit into the multiprocessors. A part is a
// group of nodes with their rows of the matrix. Its local nodes are its nodes and its halo, the neighbours of its nodes
// in other parts. During a whole solve, the part's blocks and vectors stay in registers and shared memory. Each thread
// keeps the entries of the vectors at one local node, and multiplies a chunk, some blocks of a row.
#pragma once
#include "sim/operator/parts/part_halves.cuh"
#include "sim/solver/preconditioner.h"
#include "sim/resident/resident_coarse.cuh"
#include "sim/resident/resident_term.cuh"

// Returns how many of a thread's matrix blocks, of block_bytes bytes each, are kept in registers. A thread multiplies
// one block per step. Blocks of the first steps are in registers, blocks of later steps in shared memory.
static constexpr __host__ __device__ int steps_held(size_t block_bytes) {
  return block_bytes <= 9 * sizeof(float) ? (int)PART_CHUNK : 3;
}

// Computes which node and which matrix blocks each thread of held_kernel processes. A chunk is a few blocks of a row. A
// thread with the first chunk of a row keeps the vectors' entries at that row's node, since it computes the row's
// product. The other threads keep entries at halo nodes (of other parts), as long as there are any.
static __global__ void __launch_bounds__(THREADS)
    held_threads_kernel(const PartLayout l, int dof, HeldThread *threads) {
  __shared__ int others[WARPS + 1];
  const int part = blockIdx.x, t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int owned = l.owned_start[part + 1] - l.owned_start[part], halo_first = l.halo_start[part];
  const int locals = owned + l.halo_start[part + 1] - halo_first, tile = l.tile_start[part] + warp;
  HeldThread mine = {};
  if (tile < l.tile_start[part + 1]) {
    mine.first = l.step_start[tile];
    mine.steps = (uint16_t)(l.step_start[tile + 1] - mine.first);
    mine.task = l.lane[tile * PART_LANES + lane];
    for (int k = 0; k < mine.steps; k++)
      mine.column[k / 2] |= (unsigned)part_local_column(&l, tile, lane, k, dof) << k % 2 * 16;
  }
  const unsigned owners = __ballot_sync(0xffffffff, lane_first(mine.task));
  if (lane == 0) others[warp] = 32 - __popc(owners);
  __syncthreads();
  int local = lane_first(mine.task) ? lane_row(mine.task) : owned + __popc(~owners & ((1u << lane) - 1));
  for (int k = 0; !lane_first(mine.task) && k < warp; k++) local += others[k];
  mine.local = (uint16_t)local;
  mine.node = local < locals ? l.node[l.owned_start[part] + halo_first + local] : -1;
  threads[part * THREADS + t] = mine;
}

// Registers of a worker thread for the node that it keeps: residual r, s = A p with the search direction p, w = A u
// with u = M^-1 r, and the inverse of the diagonal of A. w and inverse are 0 for fixed unknowns.
template <int DOF>
struct HeldNode {
  real r[DOF], s[DOF], w[DOF], inverse[DOF];
};

// A part whose matrix blocks and vectors are kept on the multiprocessor. A worker thread keeps one local node (of the
// part or its halo) and multiplies one chunk, at most PART_CHUNK blocks of a row (part_layout.h). Arrays in registers
// are not members, because the compiler would keep them in memory. HALVES: blocks are rounded to 16 bits. COARSE: the
// preconditioner has a coarse space. TERM: products add the matrix of contact.
template <int DOF, bool HALVES, bool COARSE, bool TERM>
struct HeldPart {
  enum { SIZE = DOF * DOF, TRIANGLE = DOF * (DOF + 1) / 2, HELD = steps_held(SIZE * sizeof(real)) };
  static_assert(DOF == 3 || (!COARSE && !TERM), "a coarse space and a contact term need three unknowns per node");
  static_assert(!COARSE || !TERM, "no kernel has both a coarse space and a contact term");
  typedef CoarseOf<COARSE> Coarse;

  const View &v;
  const PartLayout &l;
  BlockShared &block;
  const int part, t, warp, lane;  // numbers of the part, the thread, its warp, and its lane in the warp
  const int owned_count, halo_first, tile_first, tile_count;

  // Arrays in shared memory. u has values at the local nodes (of the part and its halo). w, p, x [DOF][pitch] and
  // `diagonal` [TRIANGLE][pitch], the upper triangles of diagonal blocks, have values at the part's nodes. pitch:
  // largest number of nodes of a part.
  const int pitch;
  Entry<DOF> *u;
  real *w, *p, *x, *diagonal;
  // [steps][SIZE][WORKERS]. A product takes several steps, and a thread multiplies one matrix block per step. Blocks of
  // the first HELD steps are in registers, so this array has only the blocks of later steps.
  real *more_blocks;

  // has_owned_node: the thread keeps a node of the part. keeps: the thread keeps a node of the part or its halo.
  bool has_owned_node, keeps;
  int local;                // index of the thread's node among the nodes of the part and its halo
  int term_row;             // index of the node's row in the matrix of contact; -1: none
  int send_count;           // number of values w of boundary nodes that the part sends to other parts
  const PartSend *send_to;  // [send_count], boundary nodes, and the inbox slots to which their w is sent
  real scale, alpha, beta;  // power of two that multiplies b and r; coefficients of the iteration
  unsigned number;          // number of the present exchange of packets between parts
  int end, iteration;       // SolverEnd, the reason why the solve ends; number of complete iterations

  __device__ __forceinline__ HeldPart(const View &view, BlockShared &shared, unsigned char *buffer)
      : v(view),
        l(view.l),
        block(shared),
        part(blockIdx.x),
        t(threadIdx.x),
        warp(t / 32),
        lane(t % 32),
        owned_count(l.owned_start[part + 1] - l.owned_start[part]),
        halo_first(l.halo_start[part]),
        tile_first(l.tile_start[part]),
        tile_count(l.tile_start[part + 1] - tile_first),
        pitch(l.owned_max),
        u((Entry<DOF> *)buffer),
        w((real *)(u + l.local_max)),
        p(w + DOF * pitch),
        x(p + DOF * pitch),
        diagonal(x + DOF * pitch),
        more_blocks(diagonal + TRIANGLE * pitch),
        alpha(0),
        beta(0),
        end(SOLVER_RUNNING),
        iteration(0) {
  }

  __device__ __forceinline__ Coarse coarse_part(void) const {
    return Coarse(v.c, part, l.owned_start[part] + halo_first, more_blocks + (PART_CHUNK - HELD) * SIZE * WORKERS);
  }

  // Loads the data of the node that the thread keeps: the flags of fixed unknowns, the entries of b as r, and the upper
  // triangle of the diagonal block.
  __device__ __forceinline__ void load_node(const HeldThread &held, bool fixed[DOF], real r[DOF],
                                            real diagonal_block[TRIANGLE]) const {
    if (!keeps) return;
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      fixed[i] = v.fixed[held.node * DOF + i];
      r[i] = v.b[held.node * DOF + i];
#pragma unroll
      for (int k = i; k < DOF; k++)
        diagonal_block[symmetric_index(DOF, i, k)] = v.blocks[(size_t)held.node * SIZE + i * DOF + k];
    }
  }

  // Loads the matrix blocks of the thread's chunk (some blocks of a row): the first HELD blocks into registers A, the
  // rest into shared memory.
  __device__ __forceinline__ void load_chunk(const HeldThread &held, real A[HELD][SIZE]) const {
    if (warp >= tile_count) return;
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
          more_blocks[((k - HELD) * SIZE + e) * WORKERS + t] = entry;
      }
    }
  }

  // Loads the data of the thread's node and chunk (blocks of a row) at the start of a solve, and sets p = x = 0.
  // Returns the largest |entry| of b at the thread's node.
  __device__ __forceinline__ real load(const HeldThread &held, HeldNode<DOF> *node, real A[HELD][SIZE]) {
    has_owned_node = lane_first(held.task);
    keeps = held.node >= 0;
    local = held.local;
    term_row = TERM && has_owned_node && v.rows->count > 0 ? v.rows->row_of[held.node] : -1;
    real diagonal_block[TRIANGLE] = {}, largest = 0;
    bool fixed[DOF] = {};
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      node->r[i] = 0;
      node->s[i] = 0;
      node->inverse[i] = 0;
    }
    load_node(held, fixed, node->r, diagonal_block);
    load_chunk(held, A);
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      if (fixed[i]) node->r[i] = 0;
      if (keeps && !fixed[i]) node->inverse[i] = inverse_of_entry(diagonal_block[symmetric_index(DOF, i, i)]);
      if (!has_owned_node) continue;
      grow_max(node->r[i], &largest);
      p[i * pitch + local] = 0;
      x[i * pitch + local] = 0;
#pragma unroll
      for (int k = i; k < DOF; k++)
        diagonal[symmetric_index(DOF, i, k) * pitch + local] = diagonal_block[symmetric_index(DOF, i, k)];
    }
    return largest;
  }

  // Multiplies the residual r by `scale`, a power of two, and computes the first u = M^-1 r, at the thread's node.
  __device__ __forceinline__ void start(const Coarse &coarse, HeldNode<DOF> *node) const {
    if (keeps)
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        node->r[i] *= scale;
        u[local].v[i] = node->inverse[i] * node->r[i];
      }
    if constexpr (COARSE) {
      coarse.send_omega(number, [&](auto add) {
        if (has_owned_node) add(local, node->r);
      });
      coarse.exchange_psi(number, &block.lost);
      coarse.update(true, 0, 0);
      real moved[3] = {};
      if (keeps) coarse.prolong(coarse.y, local, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++)
        if (node->inverse[i] != 0) u[local].v[i] += moved[i];
    }
    barrier_sync<BARRIER_U, WORKERS>();
  }

  __device__ __forceinline__ void find_sends(void) {
    send_count = l.send_start[part + 1] - l.send_start[part];
    send_to = l.send + l.send_start[part];
  }

  // Adds the product of the node's diagonal block with u to y, if the thread keeps the vectors at a node of the part.
  __device__ __forceinline__ void multiply_diagonal(real y[DOF]) const {
    if (!has_owned_node) return;
    const Entry<DOF> entry = read_entry(u + local);
#pragma unroll
    for (int i = 0; i < DOF; i++)
#pragma unroll
      for (int k = 0; k < DOF; k++)
        y[i] += diagonal[symmetric_index(DOF, i < k ? i : k, i < k ? k : i) * pitch + local] * entry.v[k];
  }

  // Adds the thread's chunk (blocks of a row) times u to y. Blocks k < HELD are in A, others in more_blocks.
  __device__ __forceinline__ void multiply_chunk(const HeldThread &held, const real A[HELD][SIZE], real y[DOF]) const {
    enum { BATCH = HELD < PART_CHUNK ? 2 : 4 };  // number of nodes whose u is loaded before it is used
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
            y[i] +=
                (at < HELD ? A[at < HELD ? at : 0][entry] : more_blocks[((at - HELD) * SIZE + entry) * WORKERS + t]) *
                other[k].v[e];
          }
    }
  }

  // Adds T u to w at the thread's node, where T is the matrix of contact (resident_term.cuh).
  __device__ __forceinline__ void add_term(HeldNode<DOF> *node) const {
    real of_term[3];
    if (!multiply_term(*v.rows, v.board, v.row_sums, number)) block.lost = 1;
    if (term_row >= 0 && !await<3>(v.row_sums + (size_t)term_row * PACKETS, number, of_term)) block.lost = 1;
#pragma unroll
    for (int i = 0; i < DOF && term_row >= 0; i++) {
      const real y = w[i * pitch + local] += of_term[i];
      node->w[i] = node->inverse[i] == 0 ? (real)0 : y;
    }
  }

  // Computes w = A u at the part's nodes, with u = M^-1 r; a thread multiplies one chunk (some blocks of a row).
  __device__ __forceinline__ void multiply(const HeldThread &held, const real A[HELD][SIZE],
                                           HeldNode<DOF> *node) const {
    const bool timed = v.timed && part == 0 && t == 0;
    const long long began = timed ? clock64() : 0;
    if constexpr (TERM)
      if (term_row >= 0) send(v.board + (size_t)held.node * PACKETS, u[local].v, number);
#pragma unroll
    for (int i = 0; i < DOF; i++) node->w[i] = 0;
    // This loop runs at most once, like an `if`. The compiler needs fewer registers for a loop than for an `if`.
    for (int tile = warp; tile < tile_count; tile += WARPS) {
      real y[DOF] = {};
      multiply_diagonal(y);
      multiply_chunk(held, A, y);
      add_later_chunks<DOF>(y, held.task, l.after_max);
      if (has_owned_node) {
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          w[i * pitch + local] = y[i];
          node->w[i] = node->inverse[i] == 0 ? (real)0 : y[i];
        }
      }
    }
    if constexpr (TERM) add_term(node);
    if (timed) block.product_cycles += (unsigned long long)(clock64() - began);
  }

  // Returns the contribution of the thread's node to the sums r.u, w.u and r.r: residual r, u = M^-1 r and w = A u.
  __device__ __forceinline__ ThreadSums sums(const HeldNode<DOF> &node) const {
    ThreadSums sums = {};
    if (has_owned_node)
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const real z = COARSE ? u[local].v[i] : node.inverse[i] * node.r[i];
        sums.gamma += node.r[i] * z;
        sums.delta += node.w[i] * z;
        sums.rr += node.r[i] * node.r[i];
      }
    return sums;
  }

  // Waits until the product w = A u of all nodes of the part is in shared memory. With a coarse space, also sends omega
  // = P^T w, where the columns of P are rigid motions of groups of nodes.
  __device__ __forceinline__ void complete_w(const Coarse &coarse, const HeldNode<DOF> &node) const {
    if constexpr (COARSE)
      coarse.send_omega(number, [&](auto add) {
        if (has_owned_node) add(local, node.w);
      });
    else
      barrier_sync<BARRIER_W, WORKERS>();
  }

  __device__ __forceinline__ Packet *inbox(void) const {
    return v.inbox + (size_t)(number & 1) * l.halo_count * PACKETS;
  }

  // Sends w = A u of boundary nodes to the parts that have these nodes in their halo (neighbours in other parts).
  // Returns the value of clock() before the first send.
  __device__ __forceinline__ unsigned send_boundary(void) const {
    const unsigned began = clock();
    Packet *to_inbox = inbox();
#pragma unroll 1
    for (int k = t; k < send_count; k += WORKERS) {
      const PartSend to = send_to[k];
      real entry[3] = { 0, 0, 0 };
#pragma unroll
      for (int i = 0; i < DOF; i++) entry[i] = w[i * pitch + to.local];
      send(to_inbox + (size_t)to.halo_index * PACKETS, entry, number);
    }
    return began;
  }

  // Computes p and x of the previous iteration, while packets are in transit. This needs u of the previous iteration. r
  // is already the new one, so that u is M^-1 (r + alpha s), with s = A p.
  __device__ __forceinline__ void update_x(const Coarse &coarse, const HeldNode<DOF> &node) const {
    if (iteration == 0 || !has_owned_node) return;
    real moved[3] = {};
    if constexpr (COARSE) coarse.prolong(coarse.y_before, local, moved);
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      real before = node.inverse[i] * (node.r[i] + alpha * node.s[i]);
      if (COARSE && node.inverse[i] != 0) before += moved[i];
      const real direction = before + beta * p[i * pitch + local];
      p[i * pitch + local] = direction;
      x[i * pitch + local] += alpha * direction;
    }
  }

  // Receives w = A u of the thread's halo node (node of another part). Before the first read, waits until HALO_CYCLES
  // clock cycles after `began`, because earlier reads would slow down the sender.
  __device__ __forceinline__ void receive_halo(unsigned began, HeldNode<DOF> *node) const {
    if (!keeps || has_owned_node) return;
    real entry[3];
    pass_cycles(began, HALO_CYCLES);
    if (!await<DOF>(inbox() + (size_t)(halo_first + local - owned_count) * PACKETS, number, entry)) block.lost = 1;
#pragma unroll
    for (int i = 0; i < DOF; i++) node->w[i] = node->inverse[i] == 0 ? (real)0 : entry[i];
  }

  // Waits for the factors alpha and beta, which one warp of the thread block computes. Returns false if the solve ends.
  __device__ __forceinline__ bool receive_decision(void) {
    barrier_sync<BARRIER_DECISION, THREADS>();
    end = block.decision.end;
    if (end != SOLVER_RUNNING) return false;
    alpha = block.decision.alpha;
    beta = block.decision.beta;
    return true;
  }

  // Updates s = w + beta s, r -= alpha s and u = M^-1 r (s = A p, w = A u) at the node that the thread keeps.
  __device__ __forceinline__ void update(const Coarse &coarse, HeldNode<DOF> *node) const {
    if constexpr (COARSE) coarse.update(false, alpha, beta);
    if (keeps) {
      real moved[3] = {};
      if constexpr (COARSE) coarse.prolong(coarse.y, local, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        node->s[i] = node->w[i] + beta * node->s[i];
        node->r[i] -= alpha * node->s[i];
        const real z = node->inverse[i] * node->r[i];
        u[local].v[i] = COARSE && node->inverse[i] != 0 ? z + moved[i] : z;
      }
    }
    barrier_sync<BARRIER_U, WORKERS>();
  }

  // Writes x / scale to the system's x, because b was multiplied by `scale`. If the first iteration found that A is not
  // positive definite, x is 0; then writes u / scale, a descent direction.
  __device__ __forceinline__ void store_x(const HeldThread &held) const {
    const bool downhill = end == SOLVER_INDEFINITE && iteration == 0;
    if (has_owned_node)
#pragma unroll
      for (int i = 0; i < DOF; i++)
        v.x[held.node * DOF + i] = (downhill ? u[local].v[i] : x[i * pitch + local]) / scale;
  }
};

// Runs a whole solve. A thread block processes one part, a group of nodes with their rows of the matrix. HALVES: matrix
// blocks are rounded to 16 bits. COARSE: the preconditioner has a coarse space. TERM: products add the matrix of
// contact.
template <int DOF, bool HALVES, bool COARSE, bool TERM>
static __global__ void __launch_bounds__(THREADS, 1) held_kernel(const View v) {
  typedef HeldPart<DOF, HALVES, COARSE, TERM> Part;
  extern __shared__ __align__(32) unsigned char buffer[];
  __shared__ BlockShared block;
  Part part(v, block, buffer);

  // Load the thread's data before `unwanted` loads the flag that skips this solve, so that the two loads overlap.
  const HeldThread held = v.held[part.part * THREADS + part.t];
  part.number = first_number<COARSE>(v);
  part.scale = known_scale(v);
  if (unwanted(v)) return;
  if (part.t == 0) {
    block.lost = 0;
    block.product_cycles = 0;
  }

  if (part.warp == WARPS) {
    decide(v, &block, part.number);
    return;
  }

  const CoarseOf<COARSE> coarse = part.coarse_part();
  HeldNode<DOF> node;
  real A[Part::HELD][Part::SIZE];  // blocks of the thread's chunk
  const real largest = part.load(held, &node, A);
  if (part.scale == 0) agree_on_scale(largest, &block, &part.number, &part.scale, &part.end);
  if (part.end == SOLVER_RUNNING) part.start(coarse, &node);
  part.find_sends();
  for (; part.end == SOLVER_RUNNING; part.iteration++) {
    part.number = next_number(part.number);
    part.multiply(held, A, &node);
    pass_sums(&block, part.sums(node), part.warp, part.lane);
    part.complete_w(coarse, node);
    const unsigned began = part.send_boundary();
    part.update_x(coarse, node);
    part.receive_halo(began, &node);
    if constexpr (COARSE) coarse.exchange_psi(part.number, &block.lost);
    if (!part.receive_decision()) break;
    part.update(coarse, &node);
  }
  part.store_x(held);
}
