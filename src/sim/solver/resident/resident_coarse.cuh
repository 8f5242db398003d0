// The coarse space within the kernels of the resident solver (see resident.h): what a part knows of the aggregates
// (part_aggregates.h) that its nodes and its halo are in, and what it tells of its own. Of nodes with three unknowns.
#pragma once
#include <type_traits>

#include "sim/solver/multigrid/coarse.h"
#include "sim/solver/resident/resident_decide.cuh"

enum { HALF = COARSE_MODES / 2 };  // motions in a packet: three of two halves

// What nodes are placed by, after the coarse space has been made.
static __global__ void __launch_bounds__(THREADS)
    place_kernel(PartCoarse c, const int *node, int count, const real *arm) {
  const int l = blockIdx.x * THREADS + threadIdx.x;
  if (l >= count) return;
  for (int i = 0; i < 3; i++) c.placed[4 * (size_t)l + i] = arm[3 * (size_t)node[l] + i];
  c.placed[4 * (size_t)l + 3] = (real)c.slot[l];
}

// Which of the aggregates near its part a node is in, or -1.
static __device__ __forceinline__ int slot_of(const Entry<3> &place) {
  return (int)place.v[3];
}

// How a node moves that is placed so in an aggregate of motions y.
static __device__ __forceinline__ void move_by(const real *y, const Entry<3> &place, real moved[3]) {
  moved[0] = y[0] + (y[4] * place.v[2] - y[5] * place.v[1]);
  moved[1] = y[1] + (y[5] * place.v[0] - y[3] * place.v[2]);
  moved[2] = y[2] + (y[3] * place.v[1] - y[4] * place.v[0]);
}

// bytes of shared memory that CoarsePart takes
static size_t coarse_bytes(const PartCoarse *c) {
  return sizeof(real) * COARSE_MODES *
         ((size_t)c->count + 3 * (size_t)c->near_most + (1 + WARPS) * (size_t)c->own_most);
}

// The coarse space as a part has it, in shared memory behind the vectors; all for its workers.
struct CoarsePart {
  const PartCoarse &c;
  int part, first, own_count, near_count;  // its own aggregates
  const Entry<3> *placed;                  // of its local nodes
  real *omega;                             // [6 count], of all
  real *psi, *y, *turn;                    // [6 near_count]
  real *y_before;                          // [6 own_count], that of the iteration before
  real *shares;                            // [own_count][WARPS][6]

  __device__ __forceinline__ CoarsePart(const PartCoarse &coarse, int its_part, int local_first, real *room)
      : c(coarse), part(its_part) {
    first = c.own_start[part], own_count = c.own_start[part + 1] - first;
    near_count = c.near_start[part + 1] - c.near_start[part];
    placed = (const Entry<3> *)c.placed + local_first;
    omega = room, psi = omega + COARSE_MODES * c.count, y = psi + COARSE_MODES * c.near_most;
    turn = y + COARSE_MODES * c.near_most, y_before = turn + COARSE_MODES * c.near_most;
    shares = y_before + COARSE_MODES * c.own_most;
  }

  __device__ __forceinline__ Packet *omega_places(unsigned number) const {
    return c.omega + (size_t)(number & 1) * OMEGA_COPIES * c.count * 2 * PACKETS;
  }
  __device__ __forceinline__ Packet *psi_places(unsigned number) const {
    return c.psi + (size_t)(number & 1) * c.count * 2 * PACKETS;
  }

  __device__ __forceinline__ void hear(const Packet *from, unsigned number, real *to, int *lost) const {
    real entry[3];
    if (!await<3>(from, number, entry)) *lost = 1;
#pragma unroll
    for (int i = 0; i < HALF; i++) to[i] = entry[i];
  }

  // A warp's six numbers of an own aggregate, each the sum of what its lanes have, into the shares.
  __device__ __forceinline__ void put_share(int aggregate, const real v[COARSE_MODES]) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const real moved = warp_sums(v[0], v[1], v[2], lane), turned = warp_sums(v[3], v[4], v[5], lane);
    real *share = shares + (aggregate * WARPS + warp) * COARSE_MODES;
    if (lane % 8 == 0 && lane < 24) share[lane / 8] = moved, share[HALF + lane / 8] = turned;
  }

  // Adds up the shares; each(k, sums) gets the k-th three numbers of the own aggregates, by a warp each. Two barriers
  // of the workers lie between two uses of the shares.
  template <class Each>
  __device__ __forceinline__ void take_shares(Each each) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    barrier_sync<BARRIER_COARSE, WORKERS>();
    for (int k = warp; k < 2 * own_count; k += WARPS) {
      const real *from = shares + k / 2 * WARPS * COARSE_MODES + k % 2 * HALF + lane * COARSE_MODES;
      const bool one = lane < WARPS;
      const real sum = warp_sums(one ? from[0] : (real)0, one ? from[1] : (real)0, one ? from[2] : (real)0, lane);
      const real sums[3] = { __shfl_sync(0xffffffff, sum, 0), __shfl_sync(0xffffffff, sum, 8),
                             __shfl_sync(0xffffffff, sum, 16) };
      each(k, sums);
    }
  }

  // Tells all parts omega of its own aggregates; each(add) calls add(n, v) for every own node n of the thread, v being
  // what it has of the vector, 0 where it is held. A barrier of the workers.
  template <class Each>
  __device__ __forceinline__ void tell(unsigned number, Each each) const {
    const int lane = threadIdx.x % 32;
    for (int j = 0; j < own_count; j++) {
      real f[COARSE_MODES] = {};
      each([&](int n, const real v[3]) {
        const Entry<3> place = read_entry(placed + n);
        if (slot_of(place) != j) return;
        f[0] += v[0], f[1] += v[1], f[2] += v[2];
        f[3] += place.v[1] * v[2] - place.v[2] * v[1];
        f[4] += place.v[2] * v[0] - place.v[0] * v[2];
        f[5] += place.v[0] * v[1] - place.v[1] * v[0];
      });
      put_share(j, f);
    }
    take_shares([&](int k, const real sums[3]) {
      if (lane < OMEGA_COPIES)
        send(omega_places(number) + ((size_t)(lane * c.count + first) * 2 + k) * PACKETS, sums, number);
    });
  }

  // Hears omega of all, tells psi of its own aggregates, and hears psi of those near: psi. The thread that has heard
  // three numbers of psi is the one that turns them.
  __device__ __forceinline__ void answer(unsigned number, int *lost) const {
    const int t = threadIdx.x, unknowns = COARSE_MODES * c.count;
    const Packet *from = omega_places(number) + (size_t)(part % OMEGA_COPIES) * c.count * 2 * PACKETS;
    for (int k = t; k < 2 * c.count; k += WORKERS) hear(from + (size_t)k * PACKETS, number, omega + HALF * k, lost);
    barrier_sync<BARRIER_COARSE, WORKERS>();
    for (int k = 0; k < own_count; k++) {  // a row of B takes all warps
      const double *row = c.B + (size_t)(COARSE_MODES * (first + k)) * c.n;
      double sum[COARSE_MODES] = {};
#pragma unroll 2
      for (int j = t; j < unknowns; j += WORKERS)
#pragma unroll
        for (int i = 0; i < COARSE_MODES; i++) sum[i] += __ldg(row + (size_t)i * c.n + j) * (double)omega[j];
      real share[COARSE_MODES];
#pragma unroll
      for (int i = 0; i < COARSE_MODES; i++) share[i] = (real)sum[i];
      put_share(k, share);
    }
    take_shares([&](int k, const real sums[3]) {
      if (t % 32 == 0) send(psi_places(number) + ((size_t)first * 2 + k) * PACKETS, sums, number);
    });
    const int *near = c.near + c.near_start[part];
    for (int k = t; k < 2 * near_count; k += WORKERS)
      hear(psi_places(number) + ((size_t)near[k / 2] * 2 + k % 2) * PACKETS, number, psi + HALF * k, lost);
  }

  // y from psi: y itself at the start, else the step that alpha and beta say. A barrier of the workers.
  __device__ __forceinline__ void update(bool start, real alpha, real beta) const {
    for (int k = threadIdx.x; k < 2 * near_count; k += WORKERS)
#pragma unroll
      for (int i = HALF * k; i < HALF * k + HALF; i++) {
        const real before = y[i], turned = start ? (real)0 : psi[i] + beta * turn[i];
        if (i < COARSE_MODES * own_count) y_before[i] = before;
        turn[i] = turned;
        y[i] = start ? psi[i] : before - alpha * turned;
      }
    barrier_sync<BARRIER_COARSE, WORKERS>();
  }

  // P y of a local node; `motions` is y, or y_before for own nodes
  __device__ __forceinline__ void moved_by(const real *motions, int n, real moved[3]) const {
    const Entry<3> place = read_entry(placed + n);
    moved[0] = moved[1] = moved[2] = 0;
    if (slot_of(place) >= 0) move_by(motions + COARSE_MODES * slot_of(place), place, moved);
  }
};

// Nothing, where there is none.
struct NoCoarse {
  __device__ __forceinline__ NoCoarse(const PartCoarse &, int, int, real *) {
  }
};
template <bool COARSE>
using CoarseOf = typename std::conditional<COARSE, CoarsePart, NoCoarse>::type;

// The number that the deciding warp and the workers begin at: where they need not ask each other for a scale, the
// coarse space's first exchange has one of its own.
template <bool COARSE>
static __device__ __forceinline__ unsigned first_number(const View &v) {
  const unsigned number = *(const volatile unsigned *)v.exchange;
  return COARSE && known_scale(v) != 0 ? next_number(number) : number;
}
