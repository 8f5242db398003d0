// The resident solver (resident.h) for bodies whose matrix blocks do not fit into registers. Every product reads the
// blocks from device memory, unrounded or rounded to 16 bits (HALVES, part_halves.cuh). A part is a group of nodes with
// their rows of the matrix. Its local nodes are its nodes and its halo, the neighbours of its nodes in other parts. A
// tile is 32 chunks (some blocks of a row each), one per lane of a warp (part_layout.h).
//
// The vector u at the local nodes is in shared memory. The other vectors are in device memory if they do not fit (FAR);
// each is read and written once per iteration. To have fewer vectors, a part stores u = M^-1 r and q = M^-1 s in place
// of r and s = A p, with the preconditioner M:
//   q = M^-1 w + beta q,  u -= alpha q.
// A product with A reads the diagonal blocks anyway. So it also computes r = M u from them, for the sums r.u and r.r.
//
// With FAR and no coarse space, w holds M^-1 A u. M^-1 is computed from the diagonal, in which -0 marks a fixed
// unknown. x is updated only in every second iteration: the terms alpha p of two iterations are added one after the
// other, so the result has the same bits as with an update in each iteration.
//
// With a coarse space, u = D^-1 r + P y (resident.h). z = D^-1 r is stored too, M^-1 = D^-1 is read from memory, and x
// is updated in each iteration.
#pragma once
#include "sim/operator/parts/part_halves.cuh"
#include "sim/solver/preconditioner.h"
#include "sim/resident/resident_coarse.cuh"

// Components of the vector u at one node. Three numbers are padded to four, so that one instruction loads them. With
// FAR (vectors in device memory) they are not padded, since u would not fit into shared memory.
template <int DOF, bool FAR>
struct Gathered {
  typedef Entry<DOF> Type;
};
template <int DOF>
struct Gathered<DOF, true> {
  struct Type {
    real v[DOF];
  };
};

template <int DOF>
static __device__ __forceinline__ Entry<DOF> gather(const Entry<DOF> *from) {
  return read_entry(from);
}
template <class Dense>
static __device__ __forceinline__ Dense gather(const Dense *from) {
  return *from;
}

// Loads a matrix entry without a copy in the L1 cache, because a product reads it only once.
static __device__ __forceinline__ float load_once(const float *from) {
  float value;
  asm("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
}
static __device__ __forceinline__ double load_once(const double *from) {
  double value;
  asm("ld.global.L1::no_allocate.f64 %0, [%1];" : "=d"(value) : "l"(from));
  return value;
}

// Rounds up `count`, the number of nodes of a vector in device memory. The next vector then begins at a cache line.
static __host__ __device__ int aligned_count(int count) {
  return (count + 31) / 32 * 32;
}
// Returns the number of reals that a part stores in device memory with FAR (vectors not in shared memory). It stores q
// = M^-1 A p at the nodes of the part and its halo (neighbours in other parts). With a coarse space, it also stores
// M^-1 and z = D^-1 r there, where D is the diagonal of A. It stores w = A u, p and x only at the part's nodes.
template <int DOF>
static __host__ __device__ size_t far_count(const PartLayout &l, bool coarse) {
  return (size_t)DOF * ((coarse ? 3 : 1) * (size_t)aligned_count(l.local_max) + 3 * (size_t)aligned_count(l.owned_max));
}

// Returns a diagonal entry of A, or -0 for a fixed unknown; a zero of a free unknown becomes +0.
static __device__ __forceinline__ real marked_entry(real entry, bool fixed) {
  return fixed ? -(real)0 : entry == 0 ? (real)0 : entry;
}
// Returns 1 / |entry| for a result of marked_entry, and 0 for -0, which marks a fixed unknown.
static __device__ __forceinline__ real inverse_of_marked(real entry) {
  return entry == 0 && signbit(entry) ? (real)0 : inverse_of_entry(entry);
}

// Multiplies the lane's chunk (some blocks of a row, not rounded) of a tile (32 chunks) by u, and adds the result to y.
template <int DOF, class U>
static __device__ __forceinline__ void multiply_whole(const PartLayout &l, const real *values, int tile, int lane,
                                                      real y[DOF], const U *u) {
  // BATCH: number of blocks that a lane loads at once
  enum { SIZE = DOF * DOF, BATCH = DOF == 1 ? PART_CHUNK : 4 * sizeof(float) / sizeof(real) };
  const int last = l.step_start[tile + 1];
  for (int first = l.step_start[tile]; first < last; first += BATCH) {
    real A[BATCH][SIZE];
    unsigned column[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const size_t step = (size_t)(first + k);
      const bool inside = first + k < last;
      column[k] = inside ? l.local_column[step * PART_LANES + lane] : 0;
#pragma unroll
      for (int e = 0; e < SIZE; e++)
        A[k][e] = inside ? load_once(values + (step * SIZE + e) * PART_LANES + lane) : (real)0;
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      if (first + k >= last) break;
      const auto other = gather(u + column[k]);
#pragma unroll
      for (int e = 0; e < DOF; e++)
#pragma unroll
        for (int i = 0; i < DOF; i++) y[i] += A[k][i * DOF + e] * other.v[e];
    }
  }
}

// A part (group of nodes with their rows) whose matrix blocks are read in every product. Only worker threads call its
// methods, except the constructor. Thread t processes the nodes t, t + WORKERS and so on. Arrays in registers are not
// members, because the compiler would keep them in memory.
template <int DOF, bool HALVES, bool FAR, bool COARSE>
struct StreamPart {
  // Numbers of items that a thread reads before it writes any, so that the reads overlap. EARLY: halo nodes (of other
  // parts). BATCH: nodes of the part. SENDS: packets to other parts. READS: nodes at the start and end of a solve.
  enum {
    SIZE = DOF * DOF,
    TRIANGLE = DOF * (DOF + 1) / 2,
    EARLY = FAR ? 4 : 2,
    BATCH = FAR && sizeof(real) == sizeof(float) ? 2 : 1,
    SENDS = FAR ? 4 : 1,
    READS = !FAR                            ? 1
            : sizeof(real) == sizeof(float) ? 3
                                            : 2
  };
  // AHEAD: true if registers suffice to load the warp's next tile (its next matrix blocks) before the product with the
  // present tile. LEAN: true if vectors are in device memory and there is no coarse space. With LEAN, w is M^-1 A u. To
  // save memory traffic, x is then updated only in every second iteration, by the terms of two iterations.
  static constexpr bool AHEAD = HALVES && !FAR && sizeof(real) == sizeof(float), LEAN = FAR && !COARSE;
  static_assert(DOF == 3 || !COARSE, "rigid motions have three unknowns per node");
  typedef typename Gathered<DOF, FAR>::Type U;
  typedef CoarseOf<COARSE> Coarse;

  // Vectors at the first EARLY halo nodes (nodes of other parts) of a thread, received while the sums r.u, w.u and r.r
  // are in transit. w: A u, or with LEAN M^-1 A u. q: with LEAN, M^-1 A p.
  struct EarlyHalo {
    real w[EARLY][3], q[EARLY][DOF];
  };

  const View &v;
  const PartLayout &l;
  BlockShared &block;
  const int part, t, warp, lane;  // numbers of the part, the thread, its warp, and its lane in the warp
  const int owned_first, owned_count, halo_first, local_count, tile_first, tile_count;
  const int *node;  // [local_count], number in the mesh of each local node (of the part or its halo)

  // Vectors are stored as [DOF][local_pitch] at the local nodes, or [DOF][owned_pitch] at the part's nodes: the first
  // unknown of all nodes, then the second, and so on. block_pitch: pitch of the array `diagonal`.
  const int local_pitch, owned_pitch, block_pitch;
  U *u;             // [nodes of the part and its halo], u in shared memory
  real *after_u;    // address in shared memory after `u`
  real *q, *z;      // [nodes of the part and its halo]: M^-1 A p; D^-1 r, only with COARSE
  real *w, *p, *x;  // [nodes of the part]: A u (M^-1 A u with LEAN); search direction; solution
  // [nodes of the part and its halo], inverse of the diagonal of A, 0 for fixed unknowns. With LEAN it is valid only
  // until the first iteration, and shares its memory with q.
  real *inverse;
  real *diagonal;  // [TRIANGLE][block_pitch], upper triangles of the diagonal blocks of the part's nodes

  int send_count;           // number of values w of boundary nodes that the part sends to other parts
  const PartSend *send_to;  // [send_count], boundary nodes, and the inbox slots to which their w is sent
  bool begun;               // true if `load` has already computed the first u, M^-1 b
  real scale, alpha, beta;  // power of two that multiplies b and r; coefficients of the iteration
  real alpha_left;          // LEAN: alpha of the last iteration if its alpha p is not yet added to x, else 0
  unsigned number;          // number of the present exchange of packets between parts
  int end, iteration;       // SolverEnd, the reason why the solve ends; number of complete iterations

  __device__ __forceinline__ StreamPart(const View &view, BlockShared &shared, unsigned char *buffer)
      : v(view),
        l(view.l),
        block(shared),
        part(blockIdx.x),
        t(threadIdx.x),
        warp(t / 32),
        lane(t % 32),
        owned_first(l.owned_start[part]),
        owned_count(l.owned_start[part + 1] - owned_first),
        halo_first(l.halo_start[part]),
        local_count(owned_count + l.halo_start[part + 1] - halo_first),
        tile_first(l.tile_start[part]),
        tile_count(l.tile_start[part + 1] - tile_first),
        node(l.node + owned_first + halo_first),
        local_pitch(FAR ? aligned_count(l.local_max) : l.local_max),
        owned_pitch(FAR ? aligned_count(l.owned_max) : l.owned_max),
        block_pitch(FAR ? owned_pitch : owned_count),
        u((U *)buffer),
        after_u((real *)(u + l.local_max)),
        alpha(0),
        beta(0),
        alpha_left(0),
        end(SOLVER_RUNNING),
        iteration(0) {
    q = FAR ? v.far + (size_t)part * far_count<DOF>(l, COARSE) : after_u;
    w = q + DOF * local_pitch;
    p = w + DOF * owned_pitch;
    x = p + DOF * owned_pitch;
    inverse = LEAN ? q : x + DOF * owned_pitch;
    z = inverse + DOF * local_pitch;
    diagonal = v.diagonal + (size_t)TRIANGLE * (FAR ? part * owned_pitch : owned_first);
  }

  __device__ __forceinline__ Coarse coarse_part(void) const {
    return Coarse(v.c, part, owned_first + halo_first, FAR ? after_u : z + DOF * local_pitch);
  }

  // Only with LEAN: loads b and the diagonal blocks at the start of a solve, READS nodes at once. If the factor that
  // scales b is known, sets u = M^-1 b, scaled, and q = 0. Else sets u = b and q = M^-1, from which `start` computes
  // the scaled M^-1 b later. Sets p = x = 0. Returns the thread's largest |entry| of b.
  __device__ __forceinline__ real load_lean(void) {
    real largest = 0;
    for (int first = t; first < local_count; first += READS * WORKERS) {
      int a[READS];
      bool fixed[READS][DOF];
      real b[READS][DOF], diagonal_block[READS][TRIANGLE];
#pragma unroll
      for (int k = 0; k < READS; k++) a[k] = node[min(first + k * WORKERS, local_count - 1)];
#pragma unroll
      for (int k = 0; k < READS; k++)
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          fixed[k][i] = v.fixed[a[k] * DOF + i];
          b[k][i] = v.b[a[k] * DOF + i];
#pragma unroll
          for (int j = i; j < DOF; j++)
            diagonal_block[k][symmetric_index(DOF, i, j)] = v.blocks[(size_t)a[k] * SIZE + i * DOF + j];
        }
#pragma unroll
      for (int k = 0; k < READS; k++) {
        const int n = first + k * WORKERS;
        if (n >= local_count) break;
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          const real entry = diagonal_block[k][symmetric_index(DOF, i, i)], free_b = fixed[k][i] ? (real)0 : b[k][i];
          const real m = fixed[k][i] ? (real)0 : inverse_of_entry(entry);
          u[n].v[i] = begun ? m * (free_b * scale) : free_b;
          q[i * local_pitch + n] = begun ? (real)0 : m;
          if (n >= owned_count) continue;
          grow_max(free_b, &largest);
          p[i * owned_pitch + n] = 0;
          x[i * owned_pitch + n] = 0;
#pragma unroll
          for (int j = i; j < DOF; j++)
            diagonal[symmetric_index(DOF, i, j) * block_pitch + n] =
                i == j ? marked_entry(entry, fixed[k][i]) : diagonal_block[k][symmetric_index(DOF, i, j)];
        }
      }
    }
    return largest;
  }

  // Loads b and the diagonal blocks at the start of a solve if LEAN is false. Sets u = b, p = x = 0 and q = M^-1 A p =
  // 0, and computes M^-1. Returns the thread's largest |entry| of b.
  __device__ __forceinline__ real load_plain(void) {
    real largest = 0;
    for (int n = t; n < local_count; n += WORKERS) {
      const int a = node[n];
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const bool fixed = v.fixed[a * DOF + i];
        const real b = fixed ? (real)0 : v.b[a * DOF + i];
        u[n].v[i] = b;
        q[i * local_pitch + n] = 0;
        inverse[i * local_pitch + n] = fixed ? (real)0 : inverse_of_entry(v.blocks[(size_t)a * SIZE + i * DOF + i]);
        if (n >= owned_count) continue;
        grow_max(b, &largest);
        p[i * owned_pitch + n] = 0;
        x[i * owned_pitch + n] = 0;
#pragma unroll
        for (int k = i; k < DOF; k++) {
          const real entry = v.blocks[(size_t)a * SIZE + i * DOF + k];
          diagonal[symmetric_index(DOF, i, k) * block_pitch + n] = i == k ? marked_entry(entry, fixed) : entry;
        }
      }
    }
    return largest;
  }

  __device__ __forceinline__ real load(void) {
    scale = known_scale(v);
    begun = LEAN && scale != 0;
    if constexpr (LEAN)
      return load_lean();
    else
      return load_plain();
  }

  // Computes the first u = M^-1 b and, with a coarse space, z = D^-1 b, times `scale`, at the nodes of part and halo.
  __device__ __forceinline__ void start(const Coarse &coarse) {
    if constexpr (COARSE) {
      coarse.send_omega(number, [&](auto add) {
        for (int n = t; n < owned_count; n += WORKERS) {
          const real r[3] = { u[n].v[0] * scale, u[n].v[1] * scale, u[n].v[2] * scale };
          add(n, r);
        }
      });
      coarse.exchange_psi(number, &block.lost);
      coarse.update(true, 0, 0);
    }
    for (int n = begun ? local_count : t; n < local_count; n += WORKERS) {
      real moved[3] = {};
      if constexpr (COARSE) coarse.prolong(coarse.y, n, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const real m = inverse[i * local_pitch + n], entry = m * (u[n].v[i] * scale);
        if (LEAN) q[i * local_pitch + n] = 0;
        if (COARSE) z[i * local_pitch + n] = entry;
        u[n].v[i] = COARSE && m != 0 ? entry + moved[i] : entry;
      }
    }
    barrier_sync<BARRIER_U, WORKERS>();
  }

  __device__ __forceinline__ void prepare_iterations(LaneTile<DOF> *next_tile) {
    if constexpr (AHEAD)
      if (warp < tile_count) *next_tile = load_tile<DOF>(l, tile_first + warp, lane);
    send_count = l.send_start[part + 1] - l.send_start[part];
    send_to = l.send + l.send_start[part];
  }

  // Multiplies the lane's chunk (some blocks of a row) by u, and adds the result to y. With AHEAD, loads the next tile
  // (32 chunks).
  __device__ __forceinline__ void multiply_blocks(int local_tile, LaneTile<DOF> *next_tile, real y[DOF]) const {
    const int tile = tile_first + local_tile;
    if constexpr (HALVES) {
      const LaneTile<DOF> now = AHEAD ? *next_tile : load_tile<DOF>(l, tile, lane);
      const int next = local_tile + WARPS < tile_count ? local_tile + WARPS : warp;
      if (AHEAD) *next_tile = load_tile<DOF>(l, tile_first + next, lane);
      const U *from = u;  // a capture of `this` would cost registers
      multiply_tile<DOF>(now, y, [&](int, int column) { return gather(from + column); });
    } else {
      multiply_whole<DOF>(l, v.values, tile, lane, y, u);
    }
  }

  // Completes y, the product of row `row` with u = M^-1 r: adds the diagonal block times u, and stores the result as w.
  // With LEAN (no coarse space, vectors in device memory), stores M^-1 times the result. Adds the row's contributions
  // to the sums r.u, w.u and r.r.
  __device__ __forceinline__ void finish_row(int row, real y[DOF], ThreadSums *sums) const {
    const U owned_u = gather(u + row);
    real diagonal_block[TRIANGLE];
#pragma unroll
    for (int k = 0; k < TRIANGLE; k++) diagonal_block[k] = diagonal[k * block_pitch + row];
#pragma unroll
    for (int i = 0; i < DOF; i++) {
#pragma unroll
      for (int k = 0; k < DOF; k++)
        y[i] += diagonal_block[symmetric_index(DOF, i < k ? i : k, i < k ? k : i)] * owned_u.v[k];
      const real entry = diagonal_block[symmetric_index(DOF, i, i)];
      if (LEAN) {
        const real m = inverse_of_marked(entry);
        w[i * owned_pitch + row] = m == 0 ? (real)0 : m * y[i];
      } else {
        w[i * owned_pitch + row] = y[i];
      }
      const real preconditioned = COARSE ? z[i * local_pitch + row] : owned_u.v[i];
      const real r = preconditioned * size_of_entry(entry);
      sums->gamma += r * owned_u.v[i];
      sums->rr += r * r;
      sums->delta += owned_u.v[i] == 0 ? (real)0 : y[i] * owned_u.v[i];
    }
  }

  // Computes w = A u (u = M^-1 r) at the part's nodes, passes r.u, w.u and r.r to the deciding warp, and waits until w
  // is complete.
  __device__ __forceinline__ void multiply(LaneTile<DOF> *next_tile) const {
    const bool timed = v.timed && part == 0 && t == 0;
    const long long began = timed ? clock64() : 0;
    ThreadSums sums = {};
    for (int local_tile = warp; local_tile < tile_count; local_tile += WARPS) {
      const unsigned task = l.lane[(tile_first + local_tile) * PART_LANES + lane];
      real y[DOF] = {};
      multiply_blocks(local_tile, next_tile, y);
      add_later_chunks<DOF>(y, task, l.after_max);
      if (lane_first(task)) finish_row(lane_row(task), y, &sums);
      __syncwarp();  // all lanes of the warp load the next tile together
    }
    pass_sums(&block, sums, warp, lane);
    barrier_sync<BARRIER_W, WORKERS>();
    if (timed) block.product_cycles += (unsigned long long)(clock64() - began);
  }

  // With a coarse space, sends omega = P^T w (w = A u) of the part's aggregates (groups of nodes) to all parts.
  __device__ __forceinline__ void send_omega(const Coarse &coarse) const {
    if constexpr (COARSE)
      coarse.send_omega(number, [&](auto add) {
        for (int n = t; n < owned_count; n += WORKERS) {
          real free_w[3];
#pragma unroll
          for (int i = 0; i < DOF; i++)
            free_w[i] = inverse[i * local_pitch + n] == 0 ? (real)0 : w[i * owned_pitch + n];
          add(n, free_w);
        }
      });
  }

  __device__ __forceinline__ Packet *inbox(void) const {
    return v.inbox + (size_t)(number & 1) * l.halo_count * PACKETS;
  }

  // Sends w = A u of boundary nodes to the parts that have these nodes in their halo (neighbours in other parts). Sends
  // SENDS packets at once.
  __device__ __forceinline__ void send_boundary(void) const {
    Packet *to_inbox = inbox();
    for (int first = t; first < send_count; first += SENDS * WORKERS) {
      PartSend to[SENDS];
      real entry[SENDS][3] = {};
#pragma unroll
      for (int k = 0; k < SENDS; k++)
        to[k] = first + k * WORKERS < send_count ? send_to[first + k * WORKERS] : PartSend{};
#pragma unroll
      for (int k = 0; k < SENDS; k++)
#pragma unroll
        for (int i = 0; i < DOF; i++) entry[k][i] = w[i * owned_pitch + to[k].local];
#pragma unroll
      for (int k = 0; k < SENDS; k++)
        if (first + k * WORKERS < send_count) send(to_inbox + (size_t)to[k].halo_index * PACKETS, entry[k], number);
    }
  }

  // Computes p and x of the previous iteration, while packets are in transit. With FAR (vectors in device memory), does
  // nothing, since advance_owned updates p and x. The update needs u of the previous iteration. u is already the new
  // one, so the previous one is computed as u + alpha q, with q = M^-1 A p.
  __device__ __forceinline__ void update_last_x(const Coarse &coarse) const {
    for (int n = FAR || iteration == 0 ? owned_count : t; n < owned_count; n += WORKERS) {
      real moved[3] = {};
      if constexpr (COARSE) coarse.prolong(coarse.y_before, n, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        real before = (COARSE ? z[i * local_pitch + n] : u[n].v[i]) + alpha * q[i * local_pitch + n];
        if (COARSE && inverse[i * local_pitch + n] != 0) before += moved[i];
        const real direction = before + beta * p[i * owned_pitch + n];
        p[i * owned_pitch + n] = direction;
        x[i * owned_pitch + n] += alpha * direction;
      }
    }
  }

  // Waits for w = A u at halo node n, which belongs to another part, and stores it in `entry`.
  __device__ __forceinline__ void await_halo(int n, real entry[3]) const {
    if (!await<DOF>(inbox() + (size_t)(halo_first + n - owned_count) * PACKETS, number, entry)) block.lost = 1;
  }

  // Receives w = A u at the thread's first EARLY halo nodes (of other parts): reads the packets of all of them once,
  // then waits for those that have not arrived. With LEAN (no coarse space, vectors in device memory), also loads q =
  // M^-1 A p at these nodes.
  __device__ __forceinline__ void receive_early_halo(EarlyHalo *early) const {
    unsigned tag[EARLY];
#pragma unroll
    for (int k = 0; k < EARLY; k++) {
      const int h = t + k * WORKERS;
      tag[k] = number;
      if (owned_count + h >= local_count) continue;
      tag[k] = receive(inbox() + (size_t)(halo_first + h) * PACKETS, early->w[k]);
      // With one unknown per node, two of the packet's three numbers are zero. They are added so that they are used:
      // the compiler then loads the whole packet by one instruction.
      if (DOF == 1) early->w[k][0] += early->w[k][1] + early->w[k][2];
    }
#pragma unroll
    for (int k = 0; k < EARLY; k++)
      if (tag[k] != number) await_halo(owned_count + t + k * WORKERS, early->w[k]);
#pragma unroll
    for (int k = 0; k < EARLY; k++)
#pragma unroll
      for (int i = 0; LEAN && i < DOF; i++) {
        const int n = owned_count + t + k * WORKERS;
        early->q[k][i] = n < local_count ? q[i * local_pitch + n] : (real)0;
      }
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

  // Updates q = M^-1 s, z = D^-1 r (with a coarse space) and u at local node n, where s = A p. entry: w = A u. m: M^-1.
  // before: the previous q. With LEAN, w already contains M^-1, and `m` is not read.
  __device__ __forceinline__ void advance(const Coarse &coarse, int n, const real entry[3], const real m[DOF],
                                          const real before[DOF]) const {
    real moved[3] = {};
    if constexpr (COARSE) coarse.prolong(coarse.y, n, moved);
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      const real next_q = (LEAN ? entry[i] : m[i] == 0 ? (real)0 : m[i] * entry[i]) + beta * before[i];
      q[i * local_pitch + n] = next_q;
      if (COARSE) {
        const real next_z = z[i * local_pitch + n] -= alpha * next_q;
        u[n].v[i] = m[i] == 0 ? next_z : next_z + moved[i];
      } else {
        u[n].v[i] -= alpha * next_q;
      }
    }
  }

  // Calls `advance` for halo node n (of another part), with M^-1 and the previous q of this node. `entry` is its w.
  __device__ __forceinline__ void advance_halo(const Coarse &coarse, int n, const real entry[3]) const {
    real m[DOF], before[DOF];
#pragma unroll
    for (int i = 0; i < DOF; i++) {
      if (!LEAN) m[i] = inverse[i * local_pitch + n];
      before[i] = q[i * local_pitch + n];
    }
    advance(coarse, n, entry, m, before);
  }

  // Updates q = M^-1 A p, u = M^-1 r and, with a coarse space, z = D^-1 r at the part's nodes, BATCH nodes at once.
  // With FAR (vectors in device memory) also updates p and x. D is the diagonal of A.
  __device__ __forceinline__ void advance_owned(const Coarse &coarse) {
    const bool moves_x = !LEAN || iteration % 2 == 1;
    for (int first = t; first < owned_count; first += BATCH * WORKERS) {
      real entry[BATCH][DOF], m[BATCH][DOF], before[BATCH][DOF], p_before[BATCH][DOF], x_before[BATCH][DOF];
#pragma unroll
      for (int k = 0; k < BATCH; k++) {
        const int n = first + k * WORKERS;
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          if (n >= owned_count) continue;
          entry[k][i] = w[i * owned_pitch + n];
          before[k][i] = q[i * local_pitch + n];
          if (!LEAN) m[k][i] = inverse[i * local_pitch + n];
          if (FAR) p_before[k][i] = p[i * owned_pitch + n];
          if (FAR && moves_x) x_before[k][i] = x[i * owned_pitch + n];
        }
      }
#pragma unroll
      for (int k = 0; k < BATCH; k++) {
        const int n = first + k * WORKERS;
        if (n >= owned_count) continue;
#pragma unroll
        for (int i = 0; FAR && i < DOF; i++) {
          const real direction = u[n].v[i] + beta * p_before[k][i];
          p[i * owned_pitch + n] = direction;
          if (!moves_x) continue;
          if (LEAN) x_before[k][i] += alpha_left * p_before[k][i];
          x[i * owned_pitch + n] = x_before[k][i] + alpha * direction;
        }
        advance(coarse, n, entry[k], m[k], before[k]);
      }
    }
    alpha_left = moves_x ? (real)0 : alpha;
  }

  // Updates q = M^-1 A p, z = D^-1 r and u = M^-1 r at the nodes of the part and its halo. `early` has w = A u of the
  // first EARLY halo nodes of each thread; w of the other halo nodes is received here. D: diagonal of A.
  __device__ __forceinline__ void update(const Coarse &coarse, const EarlyHalo &early) {
    if constexpr (COARSE) coarse.update(false, alpha, beta);
    const int halo = owned_count + t;
    if (LEAN)
#pragma unroll
      for (int k = 0; k < EARLY; k++)
        if (halo + k * WORKERS < local_count) advance(coarse, halo + k * WORKERS, early.w[k], early.w[k], early.q[k]);
    advance_owned(coarse);
    if (!LEAN)
#pragma unroll
      for (int k = 0; k < EARLY; k++)
        if (halo + k * WORKERS < local_count) advance_halo(coarse, halo + k * WORKERS, early.w[k]);
    for (int n = halo + EARLY * WORKERS; n < local_count; n += WORKERS) {
      real entry[3];
      await_halo(n, entry);
      advance_halo(coarse, n, entry);
    }
    barrier_sync<BARRIER_U, WORKERS>();
  }

  // Writes x / scale to the system's x, because b was multiplied by `scale`. First adds alpha_left p, the term of the
  // last iteration, which x may still lack; if x has it, alpha_left is 0. With `downhill`, writes u, a descent
  // direction, in place of x. Processes READS nodes at once.
  __device__ __forceinline__ void store_x_lean(bool downhill) const {
    for (int first = t; first < owned_count; first += READS * WORKERS) {
      int a[READS];
      real moved[READS][DOF], p_left[READS][DOF];
#pragma unroll
      for (int k = 0; k < READS; k++) {
        const int n = min(first + k * WORKERS, owned_count - 1);
        a[k] = node[n];
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          moved[k][i] = x[i * owned_pitch + n];
          p_left[k][i] = p[i * owned_pitch + n];
        }
      }
#pragma unroll
      for (int k = 0; k < READS; k++) {
        const int n = first + k * WORKERS;
        if (n >= owned_count) break;
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          moved[k][i] += alpha_left * p_left[k][i];
          v.x[a[k] * DOF + i] = (downhill ? u[n].v[i] : moved[k][i]) / scale;
        }
      }
    }
  }

  // Writes x / scale to the system's x, because b was multiplied by `scale`. If the first iteration found that A is not
  // positive definite, x is 0; then writes u / scale, a descent direction.
  __device__ __forceinline__ void store_x(void) const {
    const bool downhill = end == SOLVER_INDEFINITE && iteration == 0;
    if constexpr (LEAN) {
      store_x_lean(downhill);
    } else {
      for (int n = t; n < owned_count; n += WORKERS)
#pragma unroll
        for (int i = 0; i < DOF; i++) v.x[node[n] * DOF + i] = (downhill ? u[n].v[i] : x[i * owned_pitch + n]) / scale;
    }
  }
};

// Runs a whole solve. A thread block processes one part, a group of nodes with their rows of the matrix. HALVES: blocks
// are rounded to 16 bits. FAR: most vectors are in device memory. COARSE: the preconditioner has a coarse space.
template <int DOF, bool HALVES, bool FAR, bool COARSE>
static __global__ void __launch_bounds__(THREADS, 1) stream_kernel(const View v) {
  typedef StreamPart<DOF, HALVES, FAR, COARSE> Part;
  extern __shared__ __align__(32) unsigned char buffer[];
  __shared__ BlockShared block;
  Part part(v, block, buffer);
  if (unwanted(v)) return;
  part.number = first_number<COARSE>(v);
  if (part.t == 0) {
    block.lost = 0;
    block.product_cycles = 0;
  }

  if (part.warp == WARPS) {
    decide(v, &block, part.number);
    return;
  }

  const CoarseOf<COARSE> coarse = part.coarse_part();
  const real largest = part.load();
  if (part.scale == 0) agree_on_scale(largest, &block, &part.number, &part.scale, &part.end);
  if (part.end == SOLVER_RUNNING) part.start(coarse);
  LaneTile<DOF> next_tile;  // only with AHEAD: the lane's blocks of the next tile, which it loads in advance
  part.prepare_iterations(&next_tile);
  for (; part.end == SOLVER_RUNNING; part.iteration++) {
    part.number = next_number(part.number);
    part.multiply(&next_tile);
    part.send_omega(coarse);
    part.send_boundary();
    part.update_last_x(coarse);
    typename Part::EarlyHalo early;
    part.receive_early_halo(&early);
    if constexpr (COARSE) coarse.exchange_psi(part.number, &block.lost);
    if (!part.receive_decision()) break;
    part.update(coarse, early);
  }
  part.store_x();
}
