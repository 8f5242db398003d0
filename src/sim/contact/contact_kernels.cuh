// Types and device functions for the kernels of contact (contact_cuda.h). Two kernels compute forces. In the first, one
// thread per pair computes the pair's forces. In the second, one warp per vertex sums the forces of the vertex's pairs
// in a fixed order.
#pragma once
#include <stddef.h>

#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.cuh"

enum { BLOCK = 128, WARPS = BLOCK / 32 };
// bits of a double >= 0, as an integer; atomicMax on such integers finds the largest double
typedef unsigned long long Bits;

static inline int blocks_for(int64_t count) {
  return (int)((count + BLOCK - 1) / BLOCK);
}

static inline int parts_for(int count) {
  return blocks_for(count) < CONTACT_PARTS ? blocks_for(count) : CONTACT_PARTS;
}

// Rows of BoundState.sum: sums over nodes that compare two states with the displacements that were predicted for the
// list of pairs. State 0 is the present state, state 1 the end of the displacements that are tested.
//   0 to 2    state 0: displacements since the list of pairs was made, x, y, z
//   3         state 0: products of these with the predicted displacements
//   4 to 7    state 1: as rows 0 to 3
//   8 to 10   predicted displacements, x, y, z
//   11        squares of the predicted displacements
// For state s, the displacements begin at row MOTION_MOVED + 4 * s, and the products are row MOTION_ALONG + 4 * s.
enum { MOTION_MOVED = 0, MOTION_ALONG = 3, MOTION_PATH = 8, MOTION_SUMS = 12 };

// Results and work arrays of the tests for collisions on the GPU (contact_cuda_bound, contact_cuda_settle). State 0 is
// the present state, state 1 the end of the displacements that are tested. Until the next test, nodes move only on the
// straight line between the two.
struct BoundState {
  // longest2: m^2, square of the longest displacement. largest: m, the largest absolute value of a
  // component of a node's displacement from rest, before and after the tested motion.
  Bits longest2, largest;
  Bits off2[2];  // m^2, for both states: largest squared distance of a node from its predicted position
  double least;  // smallest safe fraction of the displacements over all pairs; 1: no pair limits them
  // For each of the two states, the predicted motion that fits it best: `fraction` times the predicted displacements,
  // plus `common`, a translation of all nodes, m.
  double fraction[2], common[2][3];
  double cap;         // factor by which displacements are shortened, so that none is longer than the body
  unsigned finished;  // number of thread blocks that have ended; 0 between kernels
  // Members from here on are not copied to the host. sum: sums over nodes, in MOTION_SUMS rows, which the constants
  // above name. A row has one partial sum for each thread block.
  double sum[MOTION_SUMS][CONTACT_PARTS];
  // Only in CUDA graphs. foreseen: the next search makes a list of pairs for nodes that move by `foreseen` times the
  // displacements. tested: fraction of the displacements that is then tested for collisions.
  double foreseen, tested;
  int seen;  // 1 if a thread of the running kernel has found a pair that touches; 0 between kernels
  int free;  // only in CUDA graphs: result of contact_cuda_queue_begin, 1 if no pair touches
};
enum { BOUND_HOST = offsetof(BoundState, sum) };  // bytes of the members that are copied to the host

// Sums of force_kernel. barrier, friction: energies, J, one partial sum for each thread block.
struct ForceSums {
  double barrier[CONTACT_PARTS], friction[CONTACT_PARTS];
  int count;          // number of pairs that touch
  unsigned finished;  // number of thread blocks that have ended; 0 between kernels
  ContactSums all;    // totals of the partial sums, and the number of pairs that touch
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

// Returns true in the thread block that calls last, false in all others. One thread of each block calls this function,
// after the block has stored its results. The last block can then read the results of all blocks by __ldcg, which
// bypasses L1.
static __device__ __forceinline__ bool comes_last(unsigned *finished) {
  __threadfence();
  const bool last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  return last;
}

// Returns the sum of part [count], the partial sums of thread blocks, in a fixed order. All lanes of a warp must call
// the function; each lane gets the result.
static __device__ double total_of(const double *part, int count) {
  double sum = 0;
  for (int k = threadIdx.x % 32; k < count; k += 32) sum += __ldcg(part + k);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  return sum;
}

// Returns true if pair k of the list may touch at the present positions, at the end of the tested displacements, or
// between the two. In the arrays of c.bound, element 0 belongs to the present positions, and element 1 to the end. The
// term 0.01 * reach covers rounding of positions.
static __device__ __forceinline__ bool may_touch(const ContactCuda &c, int k, double reach) {
  const BoundState *b = c.bound;
  const double fraction = fmax(b->fraction[0], b->fraction[1]),
               off = sqrt(fmax(of_bits(b->off2[0]), of_bits(b->off2[1])));
  return !(pair_least_distance(&c.pair[k], fraction, off + 0.01 * reach) > reach);  // true for NaN
}

// pairs_now: number of pairs in the list. sliding_now: number of pairs that may have friction in this time step. In a
// time step that runs as a CUDA graph, the numbers in `c` are out of date, so both functions read the numbers from the
// GPU's memory.
static __device__ __forceinline__ int pairs_now(const ContactCuda &c) {
  return c.sliding_now ? pairs_found(c) : c.pair_count;
}
static __device__ __forceinline__ int sliding_now(const ContactCuda &c) {
  return c.sliding_now ? *c.sliding_now : c.sliding_count;
}

// Returns the number of thread blocks for a grid-stride loop over pairs, if the host knows only that there are at most
// `capacity` pairs.
static inline int blocks_for_capacity(int64_t capacity) {
  enum { TURNS = 4 };  // number of thread blocks that are launched for each multiprocessor of the GPU
  const int maximum = TURNS * device_multiprocessors(DEVICE_CUDA);
  return blocks_for(capacity) < maximum ? blocks_for(capacity) : maximum;
}

// Loads pair k of the list of pairs, and computes its forces at the positions x. Returns true if the pair touches.
static __device__ __forceinline__ bool test_pair(const ContactCuda &c, const double (*x)[3], int k, double reach,
                                                 double modulus, ContactPair *pair, Touch *touch) {
  double at[4][3];
  if (!may_touch(c, k, reach)) return false;
  *pair = c.pair[k];
  gather(x, pair->node, at);
  return pair_touches(pair, modulus, (const double(*)[3])at, touch);
}

// Flags of a pair. FLAG_COUPLES: several of its nodes belong to bodies, so the tangent couples them. FLAG_ALONE: one
// node belongs to a body, and the other nodes belong to an obstacle.
enum { FLAG_COUPLES = 1, FLAG_ALONE = 2, FLAG_ANY = 3 };

static __device__ __forceinline__ uint8_t pair_flag(const ContactCuda &c, const int node[4]) {
  int own = 0;
#pragma unroll
  for (int j = 0; j < 4; j++) own += !pair_is_rigid(node, j, c.body_nodes);
  return own > 1 ? FLAG_COUPLES : FLAG_ALONE;
}

// Stores the flag of a pair (FLAG_COUPLES or FLAG_ALONE) in `flags`, once for each of its nodes on bodies: at the index
// of this node's entry in c.list.entry.
static __device__ __forceinline__ void set_flags(const ContactCuda &c, int pair, const int node[4], uint8_t *flags) {
  const uint8_t flag = pair_flag(c, node);
#pragma unroll
  for (int j = 0; j < 4; j++)
    if (!pair_is_rigid(node, j, c.body_nodes)) flags[c.entry_index[4 * pair + j]] = flag;
}

// Distributes entries over the 32 lanes of a warp. It selects those of the entries entry[first] to entry[last - 1]
// whose flag has a bit of `wanted`, and numbers them from 0. For the selected entry number k, lane k % 32 calls
// take(entry, k). The lane thus depends only on k. So entries that are not selected, such as those of pairs that do not
// touch, do not change the order of a sum. turn [32] is work memory, shared by the warp. Returns the number of selected
// entries.
template <typename Take>
static __device__ __forceinline__ int each_flagged(const int *entry, const uint8_t *flag, int wanted, int first,
                                                   int last, int *turn, Take take) {
  const int lane = threadIdx.x % 32;
  int count = 0;
  for (int from = first; from < last; from += 32) {
    const bool flagged = from + lane < last && (flag[from + lane] & wanted);
    const unsigned all = __ballot_sync(0xffffffff, flagged);
    if (all == 0) continue;  // `all` is the same in all lanes, so the whole warp continues
    if (flagged) turn[(count + __popc(all & ((1u << lane) - 1))) % 32] = entry[from + lane];
    __syncwarp();
    const int mine = count + (lane + 32 - count % 32) % 32;
    count += __popc(all);
    if (mine < count) take(turn[lane], mine);
    __syncwarp();
  }
  return count;
}

// Adds sum [COUNT] over the 32 lanes of a warp, in a fixed order. All lanes get the result.
template <int COUNT>
static __device__ __forceinline__ void add_lanes(double (&sum)[COUNT]) {
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    for (int step = 16; step > 0; step /= 2) sum[i] += __shfl_xor_sync(0xffffffff, sum[i], step);
}
