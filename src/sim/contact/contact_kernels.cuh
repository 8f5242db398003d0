// Types and functions for the kernels of contact; see contact_cuda.h, and contact.h for pairs and their list. Forces
// are computed in two steps: one thread per pair computes its forces, and then one warp per vertex sums the forces of
// the vertex's pairs in a fixed order.
#pragma once
#include <stddef.h>

#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.cuh"

enum { BLOCK = 128, WARPS = BLOCK / 32 };
typedef unsigned long long Bits;  // bits of a non-negative double; atomicMax on these integers finds the largest double

static inline int blocks_for(int64_t count) {
  return (int)((count + BLOCK - 1) / BLOCK);
}

static inline int parts_for(int count) {
  return blocks_for(count) < CONTACT_PARTS ? blocks_for(count) : CONTACT_PARTS;
}

// BoundState.sum has sums over nodes. path_fraction computes from them how far a state has moved along the predicted
// displacements. State 0 is the present state, state 1 the end of its displacements. Rows of `sum`:
//   0 to 3    state 0: displacements since the list was made (x, y, z), and their products with the predicted ones
//   4 to 7    state 1: as rows 0 to 3
//   8 to 11   predicted displacements (x, y, z), and their squares
// The first row of a sum for state s is MOTION_MOVED + 4 s or MOTION_ALONG + 4 s.
enum { MOTION_MOVED = 0, MOTION_ALONG = 3, MOTION_PATH = 8, MOTION_SUMS = 12 };

// Results and work arrays of contact_cuda_bound and contact_cuda_settle. These tests treat two states: state 0 is the
// present state. After contact_cuda_bound, state 1 is the state at the end of its displacements. All states that are
// evaluated until the next test are on the straight line between the two.
struct BoundState {
  Bits longest2, largest;  // longest2: m^2, square of the longest displacement. largest: m, largest coordinate or
                           // displacement of a node
  Bits off2[2];            // m^2, for both states: largest squared deviation of a node from the predicted displacements
  double least;            // largest safe fraction of the displacements over all pairs; 1: no pair limits them
  // for both states: fraction of the predicted displacements, and common translation, m, that fit the state best
  // (path_fraction)
  double fraction[2], common[2][3];
  double cap;         // factor by which displacements are shortened, so that none is longer than the body
  unsigned finished;  // number of thread blocks that have ended; 0 between kernels
  // The members from here on are not copied to the host. `sum` has partial sums over nodes, one for each thread block;
  // its rows are listed above.
  double sum[MOTION_SUMS][CONTACT_PARTS];
  // Members for steps that run as CUDA graphs.
  double foreseen, tested;  // foreseen: factor on the displacements for which the next search lists pairs. tested:
                            // fraction of the displacements that is then tested with this list
  int seen;                 // 1 if a thread of the running kernel has found a pair that touches; 0 between kernels
  int free;                 // result of contact_cuda_queue_begin: 1 if no pair touches
};
enum { BOUND_HOST = offsetof(BoundState, sum) };

// Energies that force_kernel sums: one partial sum per block, and their total.
struct ForceSums {
  double barrier[CONTACT_PARTS], friction[CONTACT_PARTS];
  int count;          // number of pairs that touch
  unsigned finished;  // number of thread blocks that have ended; 0 between kernels
  ContactSums all;    // the totals of these partial sums, and the number of pairs that touch
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

// Called by one thread of each block after the block has stored its results. Returns true in the block that calls last.
// This last block can then read the results of all other blocks by __ldcg, which bypasses L1.
static __device__ __forceinline__ bool comes_last(unsigned *finished) {
  __threadfence();
  const bool last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  return last;
}

// A warp sums part [count], the partial results of all thread blocks, in a fixed order. Every lane gets the sum.
static __device__ double total_of(const double *part, int count) {
  double sum = 0;
  for (int k = threadIdx.x % 32; k < count; k += 32) sum += __ldcg(part + k);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  return sum;
}

// Tests if pair k of the list may touch in one of the two states of c.bound (the present state, and the end of its
// displacements) or between the two. The CPU's version of this test is nearby_may_touch. The term 0.01 * reach covers
// rounding of positions.
static __device__ __forceinline__ bool may_touch(const ContactCuda &c, int k, double reach) {
  const BoundState *b = c.bound;
  const double fraction = fmax(b->fraction[0], b->fraction[1]),
               off = sqrt(fmax(of_bits(b->off2[0]), of_bits(b->off2[1])));
  return !(pair_least_distance(&c.pair[k], fraction, off + 0.01 * reach) > reach);  // true for NaN
}

// pairs_now returns the number of pairs in the list. sliding_now returns the number of pairs that have friction in this
// step (contact_cuda_begin). While a step runs as a CUDA graph, both numbers are read on the GPU.
static __device__ __forceinline__ int pairs_now(const ContactCuda &c) {
  return c.sliding_now ? pairs_found(c) : c.pair_count;
}
static __device__ __forceinline__ int sliding_now(const ContactCuda &c) {
  return c.sliding_now ? *c.sliding_now : c.sliding_count;
}

// Returns the number of thread blocks for a grid-stride loop over at most `capacity` pairs. Used if only the GPU has
// the number of pairs.
static inline int blocks_for_capacity(int64_t capacity) {
  enum { TURNS = 4 };  // number of thread blocks per multiprocessor of the GPU
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

// Flags of a pair. FLAG_COUPLES: several of its nodes belong to bodies, so the tangent couples these nodes. FLAG_ALONE:
// one node belongs to a body, and the other nodes belong to an obstacle.
enum { FLAG_COUPLES = 1, FLAG_ALONE = 2, FLAG_ANY = 3 };

static __device__ __forceinline__ uint8_t pair_flag(const ContactCuda &c, const int node[4]) {
  int own = 0;
#pragma unroll
  for (int j = 0; j < 4; j++) own += !pair_is_rigid(node, j, c.body_nodes);
  return own > 1 ? FLAG_COUPLES : FLAG_ALONE;
}

// Sets the pair's flag in flags[] at each of its entries (EntryRows) in c.list. All flags must be 0 before.
static __device__ __forceinline__ void set_flags(const ContactCuda &c, int pair, const int node[4], uint8_t *flags) {
  const uint8_t flag = pair_flag(c, node);
#pragma unroll
  for (int j = 0; j < 4; j++)
    if (!pair_is_rigid(node, j, c.body_nodes)) flags[c.entry_index[4 * pair + j]] = flag;
}

// A warp visits those of entry[first] to entry[last - 1] whose flag has a bit of `wanted`. The k-th visited entry,
// counted from 0, is processed in lane k % 32, which calls take(entry, k). Therefore the sum in each lane does not
// depend on skipped entries. turn [32] is the warp's shared memory. Returns the number of visited entries.
template <typename Take>
static __device__ __forceinline__ int each_flagged(const int *entry, const uint8_t *flag, int wanted, int first,
                                                   int last, int *turn, Take take) {
  const int lane = threadIdx.x % 32;
  int count = 0;
  for (int from = first; from < last; from += 32) {
    const bool flagged = from + lane < last && (flag[from + lane] & wanted);
    const unsigned all = __ballot_sync(0xffffffff, flagged);
    if (all == 0) continue;  // this condition is equal in all lanes of the warp
    if (flagged) turn[(count + __popc(all & ((1u << lane) - 1))) % 32] = entry[from + lane];
    __syncwarp();
    const int mine = count + (lane + 32 - count % 32) % 32;
    count += __popc(all);
    if (mine < count) take(turn[lane], mine);
    __syncwarp();
  }
  return count;
}

// Replaces each element of `sum` by its sum over the warp's lanes, added in a fixed order.
template <int COUNT>
static __device__ __forceinline__ void add_lanes(double (&sum)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    for (int step = 16; step > 0; step /= 2) sum[i] += __shfl_xor_sync(0xffffffff, sum[i], step);
}
