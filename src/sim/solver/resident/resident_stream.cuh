// The resident solver for bodies whose blocks do not fit the registers: they are read in every product, whole, or
// rounded to 16 bits (HALVES, part_halves.cuh). A warp takes a tile after the other; what it reads of one is on its way
// at once, in loads of 16 bytes where blocks are rounded.
//
// u of a part and its halo, which products gather, is always in shared memory. The other vectors are there too, or,
// where they do not fit (FAR), in the GPU's memory, part by part, so that they are read and written side by side. Each
// is read and written once an iteration; so that there are few, recurrences are those of M^-1 r and M^-1 s:
//   q = M^-1 w + beta q (which is M^-1 s), u -= alpha q, and r = M u where its sums are taken: with the product, whose
//   own block has the diagonal.
// FAR, the product leaves M^-1 w in place of w, so that nobody reads M^-1: an own block's diagonal tells it, and by a
// -0 that an unknown is held. x takes two steps at once, one after the other as ever, so that it is read and written
// every second iteration. So of each number of an own node 3.5 are read and 3.5 written in an iteration, of a halo node
// 2 and 2 with its packet; CG as kernels in a graph reads 9 and writes 5. With a coarse space z = M^-1 r is kept beside
// u = z + P y, and r = M z: then w is A u, M^-1 is read, and x moves in each iteration, so that 6 are read and 5
// written, of a halo node 4 and 3.
#pragma once
#include "sim/operator/parts/part_halves.cuh"
#include "sim/solver/preconditioner.h"
#include "sim/solver/resident/resident_coarse.cuh"

// u of a node, as dense as it can be where everything else has made room for it
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

// What is read once in a product has no use for the first cache.
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

// Vectors of a part that are read from memory begin where a line of a cache does.
static __host__ __device__ int aligned_count(int count) {
  return (count + 31) / 32 * 32;
}
// How many numbers a part has in the GPU's memory, FAR: q of all local nodes, w, p and x of own ones, and with a coarse
// space M^-1 and z of all local ones.
template <int DOF>
static __host__ __device__ size_t far_count(const PartLayout &l, bool coarse) {
  return (size_t)DOF * ((coarse ? 3 : 1) * (size_t)aligned_count(l.local_most) + 3 * (size_t)aligned_count(l.own_most));
}

// An entry of the diagonal that says whether its unknown is held, by -0, and then |entry|^-1 or 0.
static __device__ __forceinline__ real marked_entry(real entry, bool fixed) {
  return fixed ? -(real)0 : entry == 0 ? (real)0 : entry;
}
static __device__ __forceinline__ real inverse_of_marked(real entry) {
  return entry == 0 && signbit(entry) ? (real)0 : inverse_of_entry(entry);
}

// y += the lane's blocks of a tile times u
template <int DOF, class U>
static __device__ __forceinline__ void multiply_whole(const PartLayout &l, const real *values, int tile, int lane,
                                                      real y[DOF], const U *u) {
  enum { SIZE = DOF * DOF, BATCH = DOF == 1 ? PART_CHUNK : 4 * sizeof(float) / sizeof(real) };  // steps on their way
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

template <int DOF, bool HALVES, bool FAR, int LOADS, bool COARSE>
static __global__ void __launch_bounds__(THREADS, 1) stream_kernel(const View v) {
  enum {
    SIZE = DOF * DOF,
    TRIANGLE = DOF * (DOF + 1) / 2,
    EARLY = FAR ? 4 : 2,  // nodes of the halo, own ones, and packets at once
    BATCH = FAR && sizeof(real) == sizeof(float) ? 2 : 1,
    SENDS = FAR ? 4 : 1,
    READS = !FAR                            ? 1
            : sizeof(real) == sizeof(float) ? 3
                                            : 2  // nodes that are read at once as a solve begins and ends
  };
  constexpr bool AHEAD = HALVES && !FAR && sizeof(real) == sizeof(float);
  constexpr bool LEAN = FAR && !COARSE;  // w is M^-1 A u, and x takes two steps at once: see above
  typedef typename Gathered<DOF, FAR>::Type U;
  static_assert(DOF == 3 || !COARSE, "rigid motions are of three unknowns");
  extern __shared__ __align__(32) unsigned char room[];
  __shared__ Entry<3> sums_of[WARPS + 1];
  __shared__ Decision told;
  __shared__ int lost;
  __shared__ unsigned long long product_cycles;
  const PartLayout &l = v.l;
  const int part = blockIdx.x, t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int own_first = l.own_start[part], own = l.own_start[part + 1] - own_first, halo_first = l.halo_start[part];
  const int locals = own + l.halo_start[part + 1] - halo_first, tile_first = l.tile_start[part];
  const int tiles = l.tile_start[part + 1] - tile_first;
  const int *node = l.node + own_first + halo_first;
  U *u = (U *)room;
  // q of all local nodes, w, p and x of own nodes, M^-1 and z of all local ones, by unknowns
  const int wide = FAR ? aligned_count(l.local_most) : l.local_most;
  const int pitch = FAR ? aligned_count(l.own_most) : l.own_most, block_pitch = FAR ? pitch : own;
  real *beside = (real *)(u + l.local_most);
  real *q = FAR ? v.far + (size_t)part * far_count<DOF>(l, COARSE) : beside;
  real *w = q + DOF * wide, *p = w + DOF * pitch, *x = p + DOF * pitch;
  real *inverse = LEAN ? q : x + DOF * pitch;  // in the room of q until the first iteration, or of its own
  real *z = inverse + DOF * wide;              // COARSE
  real *own_block = v.own_blocks + (size_t)TRIANGLE * (FAR ? part * pitch : own_first);  // [TRIANGLE][block_pitch]
  if (unwanted(v)) return;
  unsigned number = first_number<COARSE>(v);
  if (t == 0) lost = 0, product_cycles = 0;

  if (warp == WARPS) {
    decide<LOADS>(v, sums_of, &told, number, &lost, &product_cycles);
    return;
  }

  const CoarseOf<COARSE> coarse(v.c, part, own_first + halo_first, FAR ? beside : z + DOF * wide);
  // u = b at first, the rest 0; M^-1 is 0 where the unknown is held. LEAN, u = M^-1 b at once where its scale is known
  int end = SOLVER_RUNNING, iteration = 0;
  real scale = known_scale(v), most = 0;
  const bool begun = LEAN && scale != 0;
  if constexpr (LEAN) {
    for (int first = t; first < locals; first += READS * WORKERS) {  // all is read before anything is written
      int a[READS];
      bool fixed[READS][DOF];
      real b[READS][DOF], block[READS][TRIANGLE];
#pragma unroll
      for (int k = 0; k < READS; k++) a[k] = node[min(first + k * WORKERS, locals - 1)];
#pragma unroll
      for (int k = 0; k < READS; k++)
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          fixed[k][i] = v.fixed[a[k] * DOF + i], b[k][i] = v.b[a[k] * DOF + i];
#pragma unroll
          for (int j = i; j < DOF; j++)
            block[k][symmetric_index(DOF, i, j)] = v.blocks[(size_t)a[k] * SIZE + i * DOF + j];
        }
#pragma unroll
      for (int k = 0; k < READS; k++) {
        const int n = first + k * WORKERS;
        if (n >= locals) break;
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          const real entry = block[k][symmetric_index(DOF, i, i)], mine = fixed[k][i] ? (real)0 : b[k][i];
          const real m = fixed[k][i] ? (real)0 : inverse_of_entry(entry);
          u[n].v[i] = begun ? m * (mine * scale) : mine;
          q[i * wide + n] = begun ? (real)0 : m;
          if (n >= own) continue;
          grow_most(mine, &most);
          p[i * pitch + n] = 0, x[i * pitch + n] = 0;
#pragma unroll
          for (int j = i; j < DOF; j++)
            own_block[symmetric_index(DOF, i, j) * block_pitch + n] =
                i == j ? marked_entry(entry, fixed[k][i]) : block[k][symmetric_index(DOF, i, j)];
        }
      }
    }
  } else {
    for (int n = t; n < locals; n += WORKERS) {
      const int a = node[n];
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const bool fixed = v.fixed[a * DOF + i];
        const real b = fixed ? (real)0 : v.b[a * DOF + i];
        u[n].v[i] = b;
        q[i * wide + n] = 0;
        inverse[i * wide + n] = fixed ? (real)0 : inverse_of_entry(v.blocks[(size_t)a * SIZE + i * DOF + i]);
        if (n >= own) continue;
        grow_most(b, &most);
        p[i * pitch + n] = 0, x[i * pitch + n] = 0;
#pragma unroll
        for (int k = i; k < DOF; k++) {
          const real entry = v.blocks[(size_t)a * SIZE + i * DOF + k];
          own_block[symmetric_index(DOF, i, k) * block_pitch + n] = i == k ? marked_entry(entry, fixed) : entry;
        }
      }
    }
  }
  if (scale == 0) agree_on_scale(most, sums_of, &told, &number, &scale, &end);
  if (end == SOLVER_RUNNING) {
    if constexpr (COARSE) {
      coarse.tell(number, [&](auto add) {
        for (int n = t; n < own; n += WORKERS) {
          const real r[3] = { u[n].v[0] * scale, u[n].v[1] * scale, u[n].v[2] * scale };
          add(n, r);
        }
      });
      coarse.answer(number, &lost);
      coarse.update(true, 0, 0);
    }
    for (int n = begun ? locals : t; n < locals; n += WORKERS) {
      real moved[3] = {};
      if constexpr (COARSE) coarse.moved_by(coarse.y, n, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const real m = inverse[i * wide + n], share = m * (u[n].v[i] * scale);
        if (LEAN) q[i * wide + n] = 0;
        if (COARSE) z[i * wide + n] = share;
        u[n].v[i] = COARSE && m != 0 ? share + moved[i] : share;
      }
    }
    barrier_sync<BARRIER_U, WORKERS>();
  }
  // where there are registers for it, the tile that the warp multiplies next is on its way, also while parts speak
  LaneTile<DOF> next_tile;
  if constexpr (AHEAD)
    if (warp < tiles) next_tile = load_tile<DOF>(l, tile_first + warp, lane);
  real alpha = 0, beta = 0, alpha_left = 0;  // of an iteration whose step x has not taken
  const int sends = l.send_start[part + 1] - l.send_start[part];
  const PartSend *send_to = l.send + l.send_start[part];
  for (; end == SOLVER_RUNNING; iteration++) {
    number = next_number(number);
    const bool times = v.timed && part == 0 && t == 0;
    const long long began = times ? clock64() : 0;
    // w = A u of own nodes, and their sums
    real gamma = 0, delta = 0, rr = 0;
    for (int local_tile = warp; local_tile < tiles; local_tile += WARPS) {
      const int tile = tile_first + local_tile;
      const unsigned does = l.lane[tile * PART_LANES + lane];
      real y[DOF] = {};
      if constexpr (HALVES) {
        const LaneTile<DOF> now = AHEAD ? next_tile : load_tile<DOF>(l, tile, lane);
        const int then = local_tile + WARPS < tiles ? local_tile + WARPS : warp;
        if (AHEAD) next_tile = load_tile<DOF>(l, tile_first + then, lane);
        multiply_tile<DOF>(now, y, [&](int, int column) { return gather(u + column); });
      } else {
        multiply_whole<DOF>(l, v.values, tile, lane, y, u);
      }
      add_behind<DOF>(y, does, l.behind_most);
      if (lane_first(does)) {
        const int row = lane_row(does);
        const U mine = gather(u + row);
        real block[TRIANGLE];
#pragma unroll
        for (int k = 0; k < TRIANGLE; k++) block[k] = own_block[k * block_pitch + row];
#pragma unroll
        for (int i = 0; i < DOF; i++) {
#pragma unroll
          for (int k = 0; k < DOF; k++) y[i] += block[symmetric_index(DOF, i < k ? i : k, i < k ? k : i)] * mine.v[k];
          const real entry = block[symmetric_index(DOF, i, i)];
          if (LEAN) {
            const real m = inverse_of_marked(entry);
            w[i * pitch + row] = m == 0 ? (real)0 : m * y[i];
          } else {
            w[i * pitch + row] = y[i];
          }
          const real share = COARSE ? z[i * wide + row] : mine.v[i];
          const real r = share * size_of_entry(entry);
          gamma += r * mine.v[i], rr += r * r;
          delta += mine.v[i] == 0 ? (real)0 : y[i] * mine.v[i];
        }
      }
      __syncwarp();  // so that the next tile's loads are those of whole warps
    }
    const real sum = warp_sums(gamma, delta, rr, lane);
    if (lane % 8 == 0 && lane < 24) sums_of[warp].v[lane / 8] = sum;
    barrier_arrive<BARRIER_SUMS, THREADS>();
    barrier_sync<BARRIER_W, WORKERS>();
    if (times) product_cycles += (unsigned long long)(clock64() - began);
    if constexpr (COARSE)
      coarse.tell(number, [&](auto add) {
        for (int n = t; n < own; n += WORKERS) {
          real free_w[3];
#pragma unroll
          for (int i = 0; i < DOF; i++) free_w[i] = inverse[i * wide + n] == 0 ? (real)0 : w[i * pitch + n];
          add(n, free_w);
        }
      });
    // w of boundary nodes to those next to them
    Packet *inbox = v.inbox + (size_t)(number & 1) * l.halo_count * PACKETS;
    for (int first = t; first < sends; first += SENDS * WORKERS) {  // all is read before anything is sent
      PartSend to[SENDS];
      real entry[SENDS][3] = {};
#pragma unroll
      for (int k = 0; k < SENDS; k++) to[k] = first + k * WORKERS < sends ? send_to[first + k * WORKERS] : PartSend{};
#pragma unroll
      for (int k = 0; k < SENDS; k++)
#pragma unroll
        for (int i = 0; i < DOF; i++) entry[k][i] = w[i * pitch + to[k].own];
#pragma unroll
      for (int k = 0; k < SENDS; k++)
        if (first + k * WORKERS < sends) send(inbox + (size_t)to[k].place * PACKETS, entry[k], number);
    }
    // near, p and x of the iteration before, while sums and packets travel; its u was u + alpha q
    if (!FAR && iteration > 0)
      for (int n = t; n < own; n += WORKERS) {
        real moved[3] = {};
        if constexpr (COARSE) coarse.moved_by(coarse.y_before, n, moved);
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          real before = (COARSE ? z[i * wide + n] : u[n].v[i]) + alpha * q[i * wide + n];
          if (COARSE && inverse[i * wide + n] != 0) before += moved[i];
          const real turned = before + beta * p[i * pitch + n];
          p[i * pitch + n] = turned;
          x[i * pitch + n] += alpha * turned;
        }
      }
    // w of the halo: what comes while the sums travel, the rest once they have
    const auto halo_w = [&](int n, real entry[3]) {
      if (!await<DOF>(inbox + (size_t)(halo_first + n - own) * PACKETS, number, entry)) lost = 1;
    };
    real early[EARLY][3];
    unsigned tag[EARLY];
#pragma unroll
    for (int k = 0; k < EARLY; k++) {  // a look at all of them, then waits
      const int h = t + k * WORKERS;
      tag[k] = number;
      if (own + h >= locals) continue;
      tag[k] = receive(inbox + (size_t)(halo_first + h) * PACKETS, early[k]);
      if (DOF == 1) early[k][0] += early[k][1] + early[k][2];  // zeros, that its packet is loaded whole
    }
#pragma unroll
    for (int k = 0; k < EARLY; k++)
      if (tag[k] != number) halo_w(own + t + k * WORKERS, early[k]);
    real early_q[EARLY][DOF];  // read while the sums travel
#pragma unroll
    for (int k = 0; k < EARLY; k++)
#pragma unroll
      for (int i = 0; LEAN && i < DOF; i++) {
        const int n = own + t + k * WORKERS;
        early_q[k][i] = n < locals ? q[i * wide + n] : (real)0;
      }
    if constexpr (COARSE) coarse.answer(number, &lost);
    barrier_sync<BARRIER_DECISION, THREADS>();
    end = told.end;
    if (end != SOLVER_RUNNING) break;
    alpha = told.alpha, beta = told.beta;
    if constexpr (COARSE) coarse.update(false, alpha, beta);
    const auto advance = [&](int n, const real entry[3], const real m[DOF], const real before[DOF]) {
      real moved[3] = {};
      if constexpr (COARSE) coarse.moved_by(coarse.y, n, moved);
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        const real turned = (LEAN ? entry[i] : m[i] == 0 ? (real)0 : m[i] * entry[i]) + beta * before[i];
        q[i * wide + n] = turned;
        if (COARSE) {
          const real share = z[i * wide + n] -= alpha * turned;
          u[n].v[i] = m[i] == 0 ? share : share + moved[i];
        } else {
          u[n].v[i] -= alpha * turned;
        }
      }
    };
    const auto advance_halo = [&](int n, const real entry[3]) {
      real m[DOF], before[DOF];
#pragma unroll
      for (int i = 0; i < DOF; i++) {
        if (!LEAN) m[i] = inverse[i * wide + n];
        before[i] = q[i * wide + n];
      }
      advance(n, entry, m, before);
    };
    if (LEAN)
#pragma unroll
      for (int k = 0; k < EARLY; k++)
        if (own + t + k * WORKERS < locals) advance(own + t + k * WORKERS, early[k], early[k], early_q[k]);
    const bool moves_x = !LEAN || iteration % 2 == 1;
    // own nodes, BATCH of them at once: all is read before anything is written
    for (int first = t; first < own; first += BATCH * WORKERS) {
      real entry[BATCH][DOF], m[BATCH][DOF], before[BATCH][DOF], p_before[BATCH][DOF], x_before[BATCH][DOF];
#pragma unroll
      for (int k = 0; k < BATCH; k++) {
        const int n = first + k * WORKERS;
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          if (n >= own) continue;
          entry[k][i] = w[i * pitch + n], before[k][i] = q[i * wide + n];
          if (!LEAN) m[k][i] = inverse[i * wide + n];
          if (FAR) p_before[k][i] = p[i * pitch + n];
          if (FAR && moves_x) x_before[k][i] = x[i * pitch + n];
        }
      }
#pragma unroll
      for (int k = 0; k < BATCH; k++) {
        const int n = first + k * WORKERS;
        if (n >= own) continue;
#pragma unroll
        for (int i = 0; FAR && i < DOF; i++) {
          const real turned = u[n].v[i] + beta * p_before[k][i];
          p[i * pitch + n] = turned;
          if (!moves_x) continue;
          if (LEAN) x_before[k][i] += alpha_left * p_before[k][i];
          x[i * pitch + n] = x_before[k][i] + alpha * turned;
        }
        advance(n, entry[k], m[k], before[k]);
      }
    }
    alpha_left = moves_x ? (real)0 : alpha;
    if (!LEAN)
#pragma unroll
      for (int k = 0; k < EARLY; k++)
        if (own + t + k * WORKERS < locals) advance_halo(own + t + k * WORKERS, early[k]);
    for (int n = own + t + EARLY * WORKERS; n < locals; n += WORKERS) {
      real entry[3];
      halo_w(n, entry);
      advance_halo(n, entry);
    }
    barrier_sync<BARRIER_U, WORKERS>();
  }
  // of a matrix that was indefinite at once u, which is downhill
  const bool downhill = end == SOLVER_INDEFINITE && iteration == 0;
  if constexpr (LEAN) {
    for (int first = t; first < own; first += READS * WORKERS) {
      int a[READS];
      real moved[READS][DOF], p_left[READS][DOF];
#pragma unroll
      for (int k = 0; k < READS; k++) {
        const int n = min(first + k * WORKERS, own - 1);
        a[k] = node[n];
#pragma unroll
        for (int i = 0; i < DOF; i++) moved[k][i] = x[i * pitch + n], p_left[k][i] = p[i * pitch + n];
      }
#pragma unroll
      for (int k = 0; k < READS; k++) {
        const int n = first + k * WORKERS;
        if (n >= own) break;
#pragma unroll
        for (int i = 0; i < DOF; i++) {
          moved[k][i] += alpha_left * p_left[k][i];
          v.x[a[k] * DOF + i] = (downhill ? u[n].v[i] : moved[k][i]) / scale;
        }
      }
    }
  } else {
    for (int n = t; n < own; n += WORKERS)
#pragma unroll
      for (int i = 0; i < DOF; i++) v.x[node[n] * DOF + i] = (downhill ? u[n].v[i] : x[i * pitch + n]) / scale;
  }
}
