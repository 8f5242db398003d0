// What kernels of contact on the GPU share: see contact_cuda.h. A thread for each pair says what it does; a warp for
// each vertex then adds up what its pairs do, in a fixed order.
#pragma once
#include <stddef.h>

#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.cuh"

enum { BLOCK = 128, WARPS = BLOCK / 32 };
typedef unsigned long long Bits;  // of a double that is not negative: they are ordered as it is

static inline int blocks_for(int64_t count) {
  return (int)((count + BLOCK - 1) / BLOCK);
}

static inline int parts_for(int count) {
  return blocks_for(count) < CONTACT_PARTS ? blocks_for(count) : CONTACT_PARTS;
}

// What places are told by: of the state, then of the ways' end, how far nodes have come and that times the list's way;
// and of the list's ways sum and squares.
enum { PLACE_MOVED = 0, PLACE_ALONG = 3, PLACE_WAY = 8, PLACE_SUMS = 12 };

// What bound and settle find out, and the sums that they need for it. All states that are looked at until the next of
// them are those that it is of, or between.
struct BoundState {
  Bits longest2, largest;  // m^2 and m: of the ways, and of positions and how far these have moved
  Bits off2[2];            // m^2: how far the state and the ways' end are off the list's way
  double least;            // the largest share of the ways, 1: all of them
  // where the state is against the list, and the ways' end: the share of its way, and what all have come besides, m
  double share[2], common[2][3];
  double cap;         // of the ways, so that none is longer than the body
  unsigned finished;  // blocks, 0 between kernels
  // from here on the host knows nothing of it
  double sum[PLACE_SUMS][CONTACT_PARTS];
  // of recorded steps
  double foreseen, looked;  // how much of the ways a search is for, and the look after it
  int seen;                 // any pair that touches; 0 between kernels
  int free;                 // see contact_cuda_queue_begin
};
enum { BOUND_TOLD = offsetof(BoundState, sum) };

// What blocks of force_kernel leave.
struct ForceSums {
  double barrier[CONTACT_PARTS], friction[CONTACT_PARTS];
  int count;          // of pairs that touch
  unsigned finished;  // blocks, 0 between kernels
  ContactSums all;
};

static __device__ __forceinline__ double of_bits(Bits bits) {
  return __longlong_as_double((long long)bits);
}
static __device__ __forceinline__ Bits to_bits(double value) {
  return (Bits)__double_as_longlong(value);
}

static __device__ __forceinline__ void gather(const double (*x)[3], const int node[4], double at[4][3]) {
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int i = 0; i < 3; i++) at[j][i] = x[node[j]][i];
}

// Whether all other blocks have come here; what they wrote before can be read then, past the nearest cache. By one
// thread of each.
static __device__ __forceinline__ bool comes_last(unsigned *finished) {
  __threadfence();
  const bool last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  return last;
}

// the sum of what blocks have left, in order, by a warp; its lanes get it
static __device__ double total_of(const double *part, int count) {
  double sum = 0;
  for (int k = threadIdx.x % 32; k < count; k += 32) sum += __ldcg(part + k);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  return sum;
}

// See nearby_may_touch: whether pair k may touch in a state that is one of the two that `bound` knows, or between them.
// What such a state is off by rounding is less than a hundredth of `reach`.
static __device__ __forceinline__ bool may_touch(const ContactCuda &c, int k, double reach) {
  const BoundState *b = c.bound;
  const double share = fmax(b->share[0], b->share[1]), off = sqrt(fmax(of_bits(b->off2[0]), of_bits(b->off2[1])));
  return !(c.pair[k].distance - share * c.pair[k].closing - 2 * (off + 0.01 * reach) > reach);  // also of no number
}

// how many pairs there are, and of those how many were there when the step began, see contact_cuda_begin
static __device__ __forceinline__ int pairs_now(const ContactCuda &c) {
  return c.sliding_now ? pairs_found(c) : c.pair_count;
}
static __device__ __forceinline__ int sliding_now(const ContactCuda &c) {
  return c.sliding_now ? *c.sliding_now : c.sliding_count;
}

// Blocks of threads that take one of `room` pairs after the other, where the GPU alone knows how many there are.
static inline int blocks_for_room(int64_t room) {
  enum { TURNS = 4 };  // of a multiprocessor
  const int most = TURNS * device_multiprocessors(DEVICE_CUDA);
  return blocks_for(room) < most ? blocks_for(room) : most;
}

// pair k, whether it touches at x, and what it does there
static __device__ __forceinline__ bool look_at(const ContactCuda &c, const double (*x)[3], int k, double reach,
                                               double modulus, ContactPair *pair, Touch *touch) {
  double at[4][3];
  if (!may_touch(c, k, reach)) return false;
  *pair = c.pair[k];
  gather(x, pair->node, at);
  return pair_touches(pair, modulus, (const double(*)[3])at, touch);
}

// What a pair does: it joins several of the body's nodes, or one alone and an obstacle's.
enum { FLAG_COUPLES = 1, FLAG_ALONE = 2, FLAG_ANY = 3 };

static __device__ __forceinline__ uint8_t pair_flag(const ContactCuda &c, const int node[4]) {
  int own = 0;
#pragma unroll
  for (int j = 0; j < 4; j++) own += !pair_is_rigid(node, j, c.body_nodes);
  return own > 1 ? FLAG_COUPLES : FLAG_ALONE;
}

// A pair has a flag at each place where rows have its entries, all of which were 0.
static __device__ __forceinline__ void set_flags(const ContactCuda &c, int pair, const int node[4], uint8_t *flags) {
  const uint8_t flag = pair_flag(c, node);
#pragma unroll
  for (int j = 0; j < 4; j++)
    if (!pair_is_rigid(node, j, c.body_nodes)) flags[c.entry_place[4 * pair + j]] = flag;
}

// A warp goes through the entries of a row that have one of these flags, and returns how many there are; the k-th is
// taken by lane k % 32, so that what lanes add up does not depend on the pairs between. turn [32], of the warp.
template <typename Take>
static __device__ __forceinline__ int each_flagged(const int *entry, const uint8_t *flag, int wanted, int first,
                                                   int last, int *turn, Take take) {
  const int lane = threadIdx.x % 32;
  int count = 0;
  for (int from = first; from < last; from += 32) {
    const bool flagged = from + lane < last && (flag[from + lane] & wanted);
    const unsigned all = __ballot_sync(0xffffffff, flagged);
    if (all == 0) continue;  // by all lanes
    if (flagged) turn[(count + __popc(all & ((1u << lane) - 1))) % 32] = entry[from + lane];
    __syncwarp();
    const int mine = count + (lane + 32 - count % 32) % 32;
    count += __popc(all);
    if (mine < count) take(turn[lane], mine);
    __syncwarp();
  }
  return count;
}

// the sums of a warp's lanes, in a fixed tree; every lane gets them
template <int COUNT>
static __device__ __forceinline__ void add_lanes(double (&sum)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    for (int step = 16; step > 0; step /= 2) sum[i] += __shfl_xor_sync(0xffffffff, sum[i], step);
}
