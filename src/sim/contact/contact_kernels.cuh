// Helpers of the kernels of contact: see contact_cuda.h. A thread per pair computes its forces; then a warp per vertex
// sums the forces of the vertex's pairs, in a fixed order.
#pragma once
#include <stddef.h>

#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.cuh"

enum { BLOCK = 128, WARPS = BLOCK / 32 };
typedef unsigned long long Bits;  // bits of a non-negative double: they are ordered as its values

static inline int blocks_for(int64_t count) {
  return (int)((count + BLOCK - 1) / BLOCK);
}

static inline int parts_for(int count) {
  return blocks_for(count) < CONTACT_PARTS ? blocks_for(count) : CONTACT_PARTS;
}

// Offsets of the sums for path_fraction. First for the state, then for the end of the displacements: movement of nodes,
// and its product with the list's displacements. Then the sum and the squared sum of the list's displacements.
enum { MOTION_MOVED = 0, MOTION_ALONG = 3, MOTION_PATH = 8, MOTION_SUMS = 12 };

// Results of bound and settle, and their work arrays. States evaluated until the next call are those of this call, or
// between them.
struct BoundState {
  Bits longest2, largest;  // m^2 and m: longest displacement squared; largest position or movement
  Bits off2[2];            // m^2: deviations of the state, and of the displacements' end, from the list
  double least;            // smallest allowed fraction of the displacements, 1: all
  // for the state and for the displacements' end: fraction of the list's displacements, and common translation, m
  double fraction[2], common[2][3];
  double cap;         // factor on the displacements, so that none is longer than the body
  unsigned finished;  // number of blocks that have ended, 0 between kernels
  // the fields from here on are not copied to the host
  double sum[MOTION_SUMS][CONTACT_PARTS];
  // for recorded steps
  double foreseen, tested;  // fraction of the displacements that a search covers, and the fraction that is tested with
                            // its list
  int seen;                 // set if any pair touches; 0 between kernels
  int free;                 // see contact_cuda_queue_begin
};
enum { BOUND_HOST = offsetof(BoundState, sum) };

// Sums that the blocks of force_kernel leave.
struct ForceSums {
  double barrier[CONTACT_PARTS], friction[CONTACT_PARTS];
  int count;          // pairs that touch
  unsigned finished;  // number of blocks that have ended, 0 between kernels
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

// Returns true in the last block of a grid to call this, by one thread of each block. Results of the other blocks can
// then be read with __ldcg, which bypasses L1.
static __device__ __forceinline__ bool comes_last(unsigned *finished) {
  __threadfence();
  const bool last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  return last;
}

// Sums partial results of blocks in a fixed order, by a warp; every lane gets the sum.
static __device__ double total_of(const double *part, int count) {
  double sum = 0;
  for (int k = threadIdx.x % 32; k < count; k += 32) sum += __ldcg(part + k);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  return sum;
}

// Tests if pair k may touch in one of the two states of `bound`, or between them: see nearby_may_touch. Rounding moves
// a state by less than a hundredth of `reach`.
static __device__ __forceinline__ bool may_touch(const ContactCuda &c, int k, double reach) {
  const BoundState *b = c.bound;
  const double fraction = fmax(b->fraction[0], b->fraction[1]),
               off = sqrt(fmax(of_bits(b->off2[0]), of_bits(b->off2[1])));
  return !(pair_least_distance(&c.pair[k], fraction, off + 0.01 * reach) > reach);  // true for NaN
}

// Number of pairs, and number of them at the start of the step: see contact_cuda_begin.
static __device__ __forceinline__ int pairs_now(const ContactCuda &c) {
  return c.sliding_now ? pairs_found(c) : c.pair_count;
}
static __device__ __forceinline__ int sliding_now(const ContactCuda &c) {
  return c.sliding_now ? *c.sliding_now : c.sliding_count;
}

// Number of blocks for a grid-stride loop over up to `capacity` pairs, if their number is only on the GPU.
static inline int blocks_for_capacity(int64_t capacity) {
  enum { TURNS = 4 };  // blocks of a multiprocessor
  const int maximum = TURNS * device_multiprocessors(DEVICE_CUDA);
  return blocks_for(capacity) < maximum ? blocks_for(capacity) : maximum;
}

// Loads pair k and evaluates it at x; returns true if it touches.
static __device__ __forceinline__ bool test_pair(const ContactCuda &c, const double (*x)[3], int k, double reach,
                                                 double modulus, ContactPair *pair, Touch *touch) {
  double at[4][3];
  if (!may_touch(c, k, reach)) return false;
  *pair = c.pair[k];
  gather(x, pair->node, at);
  return pair_touches(pair, modulus, (const double(*)[3])at, touch);
}

// Kind of a pair: it couples several nodes of the body, or has only one, and an obstacle.
enum { FLAG_COUPLES = 1, FLAG_ALONE = 2, FLAG_ANY = 3 };

static __device__ __forceinline__ uint8_t pair_flag(const ContactCuda &c, const int node[4]) {
  int own = 0;
#pragma unroll
  for (int j = 0; j < 4; j++) own += !pair_is_rigid(node, j, c.body_nodes);
  return own > 1 ? FLAG_COUPLES : FLAG_ALONE;
}

// Sets a pair's flag for each of its entries in the rows; all flags must be 0 before.
static __device__ __forceinline__ void set_flags(const ContactCuda &c, int pair, const int node[4], uint8_t *flags) {
  const uint8_t flag = pair_flag(c, node);
#pragma unroll
  for (int j = 0; j < 4; j++)
    if (!pair_is_rigid(node, j, c.body_nodes)) flags[c.entry_index[4 * pair + j]] = flag;
}

// Visits the entries of a row that have one of these flags, by a warp; returns their number. Entry number k goes to
// lane k % 32, so that the sums of lanes do not depend on the entries in between. turn [32]: shared memory of the warp.
template <typename Take>
static __device__ __forceinline__ int each_flagged(const int *entry, const uint8_t *flag, int wanted, int first,
                                                   int last, int *turn, Take take) {
  const int lane = threadIdx.x % 32;
  int count = 0;
  for (int from = first; from < last; from += 32) {
    const bool flagged = from + lane < last && (flag[from + lane] & wanted);
    const unsigned all = __ballot_sync(0xffffffff, flagged);
    if (all == 0) continue;  // uniform in the warp
    if (flagged) turn[(count + __popc(all & ((1u << lane) - 1))) % 32] = entry[from + lane];
    __syncwarp();
    const int mine = count + (lane + 32 - count % 32) % 32;
    count += __popc(all);
    if (mine < count) take(turn[lane], mine);
    __syncwarp();
  }
  return count;
}

// Sums over a warp's lanes, in a fixed tree; every lane gets the sums.
template <int COUNT>
static __device__ __forceinline__ void add_lanes(double (&sum)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    for (int step = 16; step > 0; step /= 2) sum[i] += __shfl_xor_sync(0xffffffff, sum[i], step);
}
