// The coarse space in the kernels of the resident solver (resident.h): rigid motions of aggregates, groups of nodes.
// Each part (the nodes of one thread block) has a copy of the amplitudes y of the aggregates that contain nodes of the
// part or its halo (part_aggregates.h). Parts exchange omega = P^T w and psi = B omega in packets of 16 bytes. The
// columns of P are the rigid motions, B is the inverse of P^T A P, and w = A u, where u is the preconditioned residual.
// Workers are all warps of a thread block but the last, which decides (resident_decide.cuh). Nodes have three unknowns.
#pragma once
#include <type_traits>

#include "sim/solver/multigrid/coarse.h"
#include "sim/resident/resident_decide.cuh"

// a packet has three of an aggregate's (group of nodes) six numbers: those of its translation or of its rotation
enum { HALF = COARSE_MODES / 2 };

// Sets PartCoarse.position, four numbers per node of a part or its halo: the position from the centre of the node's
// aggregate (group of nodes), and the index of the aggregate in the part's list `near`.
static __global__ void __launch_bounds__(THREADS)
    position_kernel(PartCoarse c, const int *node, int count, const real *arm) {
  const int l = blockIdx.x * THREADS + threadIdx.x;
  if (l >= count) return;
  for (int i = 0; i < 3; i++) c.position[4 * (size_t)l + i] = arm[3 * (size_t)node[l] + i];
  c.position[4 * (size_t)l + 3] = (real)c.slot[l];
}

// Returns the index of a node's aggregate (group of nodes) in `near`, the list of those that the part needs; -1: none.
static __device__ __forceinline__ int slot_of(const Entry<3> &position) {
  return (int)position.v[3];
}

// Computes `moved`, the displacement of a node whose aggregate moves by the translation y[0] to y[2] and the rotation
// y[3] to y[5]. `position` is the node's position from the centre of the aggregate.
static __device__ __forceinline__ void displace(const real *y, const Entry<3> &position, real moved[3]) {
  moved[0] = y[0] + (y[4] * position.v[2] - y[5] * position.v[1]);
  moved[1] = y[1] + (y[5] * position.v[0] - y[3] * position.v[2]);
  moved[2] = y[2] + (y[3] * position.v[1] - y[4] * position.v[0]);
}

// Returns the bytes of shared memory for a part's data of the coarse space (rigid motions of groups of nodes).
static size_t coarse_bytes(const PartCoarse *c) {
  return sizeof(real) * COARSE_MODES *
         ((size_t)c->count + 3 * (size_t)c->near_max + (1 + WARPS) * (size_t)c->owned_max);
}

// A part's data of the coarse space (rigid motions of groups of nodes), in shared memory after the vectors. Only worker
// warps, which are all but the last, call its methods.
struct CoarsePart {
  const PartCoarse &c;  // arguments of the kernel
  // first, owned_count: first aggregate (group of nodes) of the part, and number of its aggregates. near_count: number
  // of aggregates in the part's list `near`
  int part, first, owned_count, near_count;
  // [nodes of the part and its halo], position from the centre of the node's aggregate (group of nodes), and the
  // aggregate's index in the part's list `near`
  const Entry<3> *position;
  real *omega;  // [6 count], omega = P^T A u of all aggregates (groups of nodes); first, P^T b times the scale
  // [6 near_count] each, six numbers for each aggregate in the part's list `near`. psi: B omega, with the inverse B of
  // P^T A P. y: amplitudes of the motions. turn: search direction of y
  real *psi, *y, *turn;
  real *y_before;  // [6 owned_count], amplitudes y of the previous iteration, for the part's aggregates
  real *warp_sum;  // [owned_count][WARPS][6], contribution of each warp to omega or psi

  __device__ __forceinline__ CoarsePart(const PartCoarse &coarse, int part_index, int local_first, real *buffer)
      : c(coarse), part(part_index) {
    first = c.owned_start[part];
    owned_count = c.owned_start[part + 1] - first;
    near_count = c.near_start[part + 1] - c.near_start[part];
    position = (const Entry<3> *)c.position + local_first;
    omega = buffer;
    psi = omega + COARSE_MODES * c.count;
    y = psi + COARSE_MODES * c.near_max;
    turn = y + COARSE_MODES * c.near_max;
    y_before = turn + COARSE_MODES * c.near_max;
    warp_sum = y_before + COARSE_MODES * c.owned_max;
  }

  // These functions return the address of the packets of exchange `number`, for all aggregates. omega_slots: for the
  // packets with omega = P^T A u. psi_slots: for those with psi = B omega. The columns of P are the rigid motions of
  // the aggregates, and B is the inverse of P^T A P. Exchanges with even and with odd numbers use different packets.
  __device__ __forceinline__ Packet *omega_slots(unsigned number) const {
    return c.omega + (size_t)(number & 1) * OMEGA_COPIES * c.count * 2 * PACKETS;
  }
  __device__ __forceinline__ Packet *psi_slots(unsigned number) const {
    return c.psi + (size_t)(number & 1) * c.count * 2 * PACKETS;
  }

  // Waits for a packet of exchange `number`, and stores its three numbers at `to`. A late packet sets *lost to 1.
  __device__ __forceinline__ void receive_half(const Packet *from, unsigned number, real *to, int *lost) const {
    real entry[3];
    if (!await<3>(from, number, entry)) *lost = 1;
#pragma unroll
    for (int i = 0; i < HALF; i++) to[i] = entry[i];
  }

  // Sums v [6], one number per rigid motion, over a warp, and stores the sums in warp_sum for aggregate (group of
  // nodes) number `aggregate` of this thread block's part of the mesh.
  __device__ __forceinline__ void store_warp_sum(int aggregate, const real v[COARSE_MODES]) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const real moved = warp_sums(v[0], v[1], v[2], lane), turned = warp_sums(v[3], v[4], v[5], lane);
    real *to = warp_sum + (aggregate * WARPS + warp) * COARSE_MODES;
    if (lane % 8 == 0 && lane < 24) {
      to[lane / 8] = moved;
      to[HALF + lane / 8] = turned;
    }
  }

  // Adds the sums of all warps for each aggregate (group of nodes) of the part. Each aggregate has two groups of three
  // sums: group 2 j for the translations of aggregate j, 2 j + 1 for its rotations. For each group k, one warp calls
  // each(k, sums) with its three sums. Two barriers of the workers must be between two uses of warp_sum.
  template <class Each>
  __device__ __forceinline__ void add_warp_sums(Each each) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    barrier_sync<BARRIER_COARSE, WORKERS>();
    for (int k = warp; k < 2 * owned_count; k += WARPS) {
      const real *from = warp_sum + k / 2 * WARPS * COARSE_MODES + k % 2 * HALF + lane * COARSE_MODES;
      const bool one = lane < WARPS;
      const real sum = warp_sums(one ? from[0] : (real)0, one ? from[1] : (real)0, one ? from[2] : (real)0, lane);
      const real sums[3] = { __shfl_sync(0xffffffff, sum, 0), __shfl_sync(0xffffffff, sum, 8),
                             __shfl_sync(0xffffffff, sum, 16) };
      each(k, sums);
    }
  }

  // Computes omega, the product of P^T (P: rigid motions) with a vector, for the aggregates (groups of nodes) of the
  // part, and sends omega to all parts. The vector comes from the caller's function each(add): it must call add(n, v)
  // for every node n that the thread owns. v [3] is the vector at node n, 0 where fixed. Contains one barrier of the
  // workers.
  template <class Each>
  __device__ __forceinline__ void send_omega(unsigned number, Each each) const {
    const int lane = threadIdx.x % 32;
    for (int j = 0; j < owned_count; j++) {
      real f[COARSE_MODES] = {};
      each([&](int n, const real v[3]) {
        const Entry<3> x = read_entry(position + n);
        if (slot_of(x) != j) return;
        f[0] += v[0], f[1] += v[1], f[2] += v[2];
        f[3] += x.v[1] * v[2] - x.v[2] * v[1];
        f[4] += x.v[2] * v[0] - x.v[0] * v[2];
        f[5] += x.v[0] * v[1] - x.v[1] * v[0];
      });
      store_warp_sum(j, f);
    }
    add_warp_sums([&](int k, const real sums[3]) {
      if (lane < OMEGA_COPIES)
        send(omega_slots(number) + ((size_t)(lane * c.count + first) * 2 + k) * PACKETS, sums, number);
    });
  }

  // Does the second exchange of an iteration. Receives omega = P^T A u of all aggregates (groups of nodes). Computes
  // psi = B omega for the part's aggregates, and sends it. Then receives psi for the aggregates in `near`. This
  // function needs no barrier at its end, because in `update` a thread reads only numbers that it has received itself.
  __device__ __forceinline__ void exchange_psi(unsigned number, int *lost) const {
    const int t = threadIdx.x, unknowns = COARSE_MODES * c.count;
    const Packet *from = omega_slots(number) + (size_t)(part % OMEGA_COPIES) * c.count * 2 * PACKETS;
    for (int k = t; k < 2 * c.count; k += WORKERS)
      receive_half(from + (size_t)k * PACKETS, number, omega + HALF * k, lost);
    barrier_sync<BARRIER_COARSE, WORKERS>();
    for (int k = 0; k < owned_count; k++) {  // all warps take part in each row of B
      const double *row = c.B + (size_t)(COARSE_MODES * (first + k)) * c.n;
      double sum[COARSE_MODES] = {};
#pragma unroll 2
      for (int j = t; j < unknowns; j += WORKERS)
#pragma unroll
        for (int i = 0; i < COARSE_MODES; i++) sum[i] += __ldg(row + (size_t)i * c.n + j) * (double)omega[j];
      real rounded[COARSE_MODES];
#pragma unroll
      for (int i = 0; i < COARSE_MODES; i++) rounded[i] = (real)sum[i];
      store_warp_sum(k, rounded);
    }
    add_warp_sums([&](int k, const real sums[3]) {
      if (t % 32 == 0) send(psi_slots(number) + ((size_t)first * 2 + k) * PACKETS, sums, number);
    });
    const int *near = c.near + c.near_start[part];
    for (int k = t; k < 2 * near_count; k += WORKERS)
      receive_half(psi_slots(number) + ((size_t)near[k / 2] * 2 + k % 2) * PACKETS, number, psi + HALF * k, lost);
  }

  // Computes y, the amplitudes of the rigid motions: y = psi at the start of a solve, else turn = psi + beta turn and y
  // -= alpha turn (resident.h). Contains one barrier of the workers.
  __device__ __forceinline__ void update(bool start, real alpha, real beta) const {
    for (int k = threadIdx.x; k < 2 * near_count; k += WORKERS)
#pragma unroll
      for (int i = HALF * k; i < HALF * k + HALF; i++) {
        const real before = y[i], turned = start ? (real)0 : psi[i] + beta * turn[i];
        if (i < COARSE_MODES * owned_count) y_before[i] = before;
        turn[i] = turned;
        y[i] = start ? psi[i] : before - alpha * turned;
      }
    barrier_sync<BARRIER_COARSE, WORKERS>();
  }

  // Computes `moved`, the displacement P y of node n of the part or its halo. `motions` are the amplitudes of the rigid
  // motions, y or y_before.
  __device__ __forceinline__ void prolong(const real *motions, int n, real moved[3]) const {
    const Entry<3> x = read_entry(position + n);
    moved[0] = moved[1] = moved[2] = 0;
    if (slot_of(x) >= 0) displace(motions + COARSE_MODES * slot_of(x), x, moved);
  }
};

// Empty type in place of CoarsePart, for kernels without a coarse space.
struct NoCoarse {
  __device__ __forceinline__ NoCoarse(const PartCoarse &, int, int, real *) {
  }
};
template <bool COARSE>
using CoarseOf = typename std::conditional<COARSE, CoarsePart, NoCoarse>::type;

// Returns the number from which a solve counts its exchanges between parts. In a first exchange, parts send their
// largest entries of b, to compute the scale of b. With a coarse space, they also send omega = P^T b (P: rigid motions
// of groups of nodes) under the number of this exchange. If the scale is known, they send only omega under it.
template <bool COARSE>
static __device__ __forceinline__ unsigned first_number(const View &v) {
  const unsigned number = *(const volatile unsigned *)v.exchange;
  return COARSE && known_scale(v) != 0 ? next_number(number) : number;
}
