// Tests for collisions on the GPU: the CUDA version of parts of contact.c and nearby.c. There are two tests. The first
// computes the safe fraction of given displacements: nodes can move by this fraction without a collision. The second
// decides if the list of contact pairs is valid for given positions, which means that it contains all pairs that touch
// there. A list is made for predicted displacements. It is certainly valid if one fraction s of these displacements
// takes each node to within `slack`, m, of its given position (nearby.h).
#include <string.h>

#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/contact/advance.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact_kernels.cuh"

// A list of pairs stays valid while no node deviates from its predicted motion by more than the slack, m. On the GPU,
// the slack is the slack on the CPU times SLACK. A larger slack gives longer lists, which stay valid longer. This saves
// time on the GPU: compared with the CPU, a search takes more time, and the test of a listed pair takes less.
static const double SLACK = 4;
// If no pair touches, a new list of pairs contains all pairs that could collide along up to FORESEEN times the nodes'
// present displacements. The list thus stays valid in the next time steps. If pairs touch, displacements change their
// direction from one time step to the next, so such a list would save few searches.
static const double FORESEEN = 4;

// Two maxima over nodes, stored as the bits of doubles for atomicMax. longest2: square of the longest displacement,
// m^2. largest: largest magnitude of a component of a node's displacement from rest before and after the tested
// motion, m.
typedef struct Sizes {
  Bits longest2, largest;
} Sizes;

// Raises the two maxima of `sizes` if the values of node a are larger. The bits of a NaN are larger than those of all
// numbers, so a NaN becomes the maximum.
static __device__ __forceinline__ void measure(const ContactCuda &c, int a, Sizes *sizes) {
  double largest = 0;
  for (int i = 0; i < 3 && a < c.body_nodes; i++) {
    const double moved = c.x[a][i] - c.X[a][i];
    largest = fmax(largest, fmax(fabs(moved), fabs(moved + c.displacement[a][i])));
  }
  sizes->longest2 = max(sizes->longest2, to_bits(fabs(dot3(c.displacement[a], c.displacement[a]))));
  sizes->largest = max(sizes->largest, to_bits(largest));
}

// Computes the maxima of `sizes` over the threads of a warp. Raises c.bound->longest2 and c.bound->largest to these
// maxima if they are larger.
static __device__ __forceinline__ void keep_sizes(const ContactCuda &c, Sizes sizes) {
  for (int step = 16; step > 0; step /= 2) {
    sizes.longest2 = max(sizes.longest2, __shfl_xor_sync(0xffffffff, sizes.longest2, step));
    sizes.largest = max(sizes.largest, __shfl_xor_sync(0xffffffff, sizes.largest, step));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(&c.bound->longest2, sizes.longest2);
    atomicMax(&c.bound->largest, sizes.largest);
  }
}

static __global__ void __launch_bounds__(BLOCK) size_kernel(ContactCuda c) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  Sizes sizes = { 0, 0 };
  if (v < c.vertex_count) measure(c, c.vertex[v], &sizes);
  keep_sizes(c, sizes);
}

// Sums over nodes that compare two states with the prediction; contact_kernels.cuh describes each of the sums.
typedef struct MotionSums {
  double of[MOTION_SUMS];
} MotionSums;

static __device__ __forceinline__ void add_motions(MotionSums *sum, const MotionSums *more) {
  for (int i = 0; i < MOTION_SUMS; i++) sum->of[i] += more->of[i];
}

// Shortens displacements to at most `extent`, m, and computes c.to, the positions after the fraction `tested` of the
// displacements. Then compares two states, c.x and c.to, with the displacements that were predicted for the list of
// pairs. For each state, it finds the fraction of these displacements and the common translation that fit best
// (path_fraction).
//
// If MOVES is false, there are no displacements, and both states are c.x. If MEASURES is true, the kernel also computes
// c.bound->longest2 and c.bound->largest, does not shorten displacements, and ends at once if *wanted is 0. If MEASURES
// is false and `wanted` is not NULL, the number c.bound->tested on the GPU replaces the argument `tested`.
template <bool MOVES, bool MEASURES>
static __global__ void __launch_bounds__(BLOCK)
    motion_kernel(ContactCuda c, double extent, double tested, const int *wanted) {
  __shared__ bool last;
  __shared__ double all[MOTION_SUMS];
  BoundState *b = c.bound;
  if (MEASURES && !*wanted) return;
  if (!MEASURES && wanted) tested = b->tested;
  const double longest2 = MOVES && !MEASURES ? of_bits(b->longest2) : 0;
  const double cap = longest2 > extent * extent ? extent / sqrt(longest2) : 1;
  MotionSums sums = {};
  Sizes sizes = { 0, 0 };
  for (int v = blockIdx.x * BLOCK + threadIdx.x; v < c.vertex_count; v += gridDim.x * BLOCK) {
    const int a = c.vertex[v];
    if (MEASURES) measure(c, a, &sizes);
#pragma unroll
    for (int i = 0; i < 3; i++) {
      double to = c.x[a][i];
      if (MOVES) {
        if (cap < 1) c.displacement[a][i] *= cap;
        c.to[a][i] = to += tested * c.displacement[a][i];
      }
      const double along = c.list_path[a][i], moved[2] = { c.x[a][i] - c.from[a][i], to - c.from[a][i] };
#pragma unroll
      for (int k = 0; k < 2; k++) {
        sums.of[MOTION_MOVED + 4 * k + i] += moved[k];
        sums.of[MOTION_ALONG + 4 * k] += moved[k] * along;
      }
      sums.of[MOTION_PATH + i] += along;
      sums.of[MOTION_PATH + 3] += along * along;
    }
  }

  if (MEASURES) keep_sizes(c, sizes);
  sums = block_combine<BLOCK, MotionSums, add_motions>(sums);
  if (threadIdx.x == 0) {
    for (int i = 0; i < MOTION_SUMS; i++) b->sum[i][blockIdx.x] = sums.of[i];
    last = comes_last(&b->finished);
  }
  __syncthreads();
  if (!last) return;
  for (int i = threadIdx.x / 32; i < MOTION_SUMS; i += WARPS) {
    const double sum = total_of(b->sum[i], gridDim.x);
    if (threadIdx.x % 32 == 0) all[i] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= 2) return;
  const int k = threadIdx.x;
  b->fraction[k] = path_fraction(&all[MOTION_MOVED + 4 * k], &all[MOTION_PATH], all[MOTION_ALONG + 4 * k],
                                 all[MOTION_PATH + 3], c.vertex_count, b->common[k]);
  b->off2[k] = 0;
  if (k == 0) {
    b->cap = cap;
    b->least = 1;
  }
}

// For each of the states c.x and c.to, computes the largest distance of a node from its predicted position. The
// predicted position is c.from, plus the state's fraction times c.list_path, plus the common translation. Fraction and
// translation come from motion_kernel. Does nothing if `wanted` is not NULL and *wanted is 0.
template <bool MOVES>
static __global__ void __launch_bounds__(BLOCK) off_kernel(ContactCuda c, const int *wanted) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  if (wanted && !*wanted) return;
  double off2[2] = { 0, 0 };
  if (v < c.vertex_count) {
    const int a = c.vertex[v];
    for (int k = 0; k < (MOVES ? 2 : 1); k++)
      for (int i = 0; i < 3; i++) {
        const double off =
            (k ? c.to : c.x)[a][i] - c.from[a][i] - c.bound->fraction[k] * c.list_path[a][i] - c.bound->common[k][i];
        off2[k] += off * off;
      }
  }
  for (int k = 0; k < (MOVES ? 2 : 1); k++) {
    Bits maximum = to_bits(fabs(off2[k]));
    for (int step = 16; step > 0; step /= 2) maximum = max(maximum, __shfl_xor_sync(0xffffffff, maximum, step));
    if (threadIdx.x % 32 == 0) atomicMax(&c.bound->off2[k], maximum);
  }
}

// Two upper bounds for all positions on the straight line from c.x to c.to. Each is the larger of the values at c.x and
// at c.to. fraction: the fraction of the predicted displacements by which nodes have moved. off: the largest distance
// of a node from its predicted position, m.
typedef struct WorseMotion {
  double fraction, off;
} WorseMotion;

static __device__ __forceinline__ WorseMotion worse_motion(const BoundState *b) {
  const WorseMotion worse = { fmax(b->fraction[0], b->fraction[1]),
                              sqrt(fmax(of_bits(b->off2[0]), of_bits(b->off2[1]))) };
  return worse;
}

// Computes the safe fraction of the displacements for one pair. Replaces c.bound->least, the minimum over all pairs, by
// this fraction if it is smaller.
static __device__ __forceinline__ void advance(const ContactCuda &c, const ContactPair &pair, const WorseMotion &worse,
                                               double reach, double rounding, double tested) {
  if (pair_least_distance(&pair, worse.fraction, worse.off) > reach) return;
  double at[4][3], displacement[4][3];
  gather(c.x, pair.node, at);
  gather(c.displacement, pair.node, displacement);
  const double maximum = pair_advance((const double(*)[3])at, (const double(*)[3])displacement, pair.kind, reach,
                                      rounding * of_bits(c.bound->largest), tested, &c.bound->least);
  if (maximum < 1) atomicMin((Bits *)&c.bound->least, to_bits(maximum));
}

static __global__ void __launch_bounds__(BLOCK)
    advance_kernel(ContactCuda c, double reach, double slack, double rounding, double tested) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  const WorseMotion worse = worse_motion(c.bound);
  if (!(worse.off <= slack) || k >= pairs_found(c)) return;  // the list is not valid, or has no pair k
  advance(c, c.pair[k], worse, reach, rounding, tested);
}

static bool report_bound(ContactCuda *c, Stream stream, Error *error) {
  return device_download(stream, c->bound_host, c->bound, BOUND_HOST, error) && stream_sync(stream, error);
}

static double value_of(Bits bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Sets the slack of the next list of pairs. The settings may have changed since the last list.
static void choose_slack(ContactCuda *c) {
  c->slack = SLACK * c->host->nearby.slack;
}

extern "C" bool contact_cuda_settle(ContactCuda *c, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  if (c->found) {
    if (!device_zero(stream, c->bound, BOUND_HOST, error)) return false;
    motion_kernel<false, false><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, 0, 0, NULL);
    off_kernel<false><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, NULL);
    CUDA_TRY(cudaGetLastError());
    if (!report_bound(c, stream, error)) return false;
    if (sqrt(value_of(c->bound_host->off2[0])) <= c->slack) return true;
  }
  // The list may lack pairs that touch at the present positions: make a new one.
  choose_slack(c);
  return contact_cuda_find(c, NULL, 0, stream, error) && device_zero(stream, c->bound, BOUND_HOST, error);
}

// Tests the displacements for collisions up to the fraction `tested`, with the present list of pairs. `pairs` is an
// upper bound of the number of listed pairs.
static bool bound_ahead(ContactCuda *c, int pairs, double rounding, double tested, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const Contact *host = c->host;
  if (!device_zero(stream, c->bound, BOUND_HOST, error)) return false;
  size_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c);
  motion_kernel<true, false><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, host->skin.extent, tested, NULL);
  off_kernel<true><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, NULL);
  if (pairs > 0) advance_kernel<<<blocks_for(pairs), BLOCK, 0, s>>>(*c, host->nearby.reach, c->slack, rounding, tested);
  CUDA_TRY(cudaGetLastError());
  return report_bound(c, stream, error);
}

static bool is_usable(const ContactCuda *c) {
  const BoundState *b = c->bound_host;
  return c->found && sqrt(value_of(b->off2[0])) <= c->slack && sqrt(value_of(b->off2[1])) <= c->slack;
}

// Makes a new list of pairs for nodes that move by `foreseen` times the displacements. Then tests the displacements for
// collisions up to the fraction `tested`. The host waits only once, for the result and the length of the list together.
// Only if the program measures times does it wait for each of them.
static bool bound_along(ContactCuda *c, double rounding, double tested, double foreseen, Stream stream, Error *error) {
  const double(*displacement)[3] = (const double(*)[3])c->displacement;
  choose_slack(c);
  if (c->host->timed)
    return contact_cuda_find(c, displacement, foreseen, stream, error) &&
           bound_ahead(c, c->pair_count, rounding, tested, stream, error);
  for (bool all = false; !all;)
    if (!nearby_cuda_queue(c, displacement, foreseen, stream, error) ||
        !bound_ahead(c, c->pair_capacity, rounding, tested, stream, error) || !nearby_cuda_received(c, &all, error))
      return false;
  return true;
}

extern "C" bool contact_cuda_bound(ContactCuda *c, double rounding, double *fraction, Stream stream, Error *error) {
  *fraction = 1;
  if (!bound_ahead(c, c->pair_count, rounding, 1, stream, error)) return false;
  if (!isfinite(value_of(c->bound_host->longest2))) return true;  // the caller rejects infinite or NaN displacements
  // motion_kernel has multiplied all displacements by `cap`, so that none is longer than the body's extent. Longer
  // displacements would make the list of pairs too long.
  const double cap = c->bound_host->cap;
  if (!is_usable(c)) {
    const double longest = cap * sqrt(value_of(c->bound_host->longest2)),
                 tested = contact_tested_fraction(c->host, longest);
    const double edges = CONTACT_TESTED_EDGES * c->host->skin.mean_edge / longest;
    const double foreseen = tested < 1 || c->on_host->count > 0 ? tested : fmin(FORESEEN, edges);
    if (!bound_along(c, rounding, tested, foreseen, stream, error)) return false;
    if (tested < 1 && c->bound_host->least == 1 && !bound_along(c, rounding, 1, 1, stream, error)) return false;
  }
  *fraction = cap * c->bound_host->least;
  return true;
}

// Tests if any pair of the list touches at the positions c.x. The last thread block to finish sets c.bound->free to 1
// if no pair touches, else to 0. It also resets members of *c.bound for the next test.
static __global__ void __launch_bounds__(BLOCK) begin_kernel(ContactCuda c, double reach, double modulus) {
  BoundState *b = c.bound;
  const int count = pairs_found(c);
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
    ContactPair pair;
    Touch t;
    if (test_pair(c, c.x, k, reach, modulus, &pair, &t)) b->seen = 1;
  }
  __syncthreads();
  if (threadIdx.x != 0 || !comes_last(&b->finished)) return;
  b->free = !__ldcg(&b->seen);
  b->seen = 0;
  b->longest2 = b->largest = 0;
  c.rows->count = 0;
}

extern "C" bool contact_cuda_queue_begin(ContactCuda *c, int **free, Stream stream, Error *error) {
  *free = &c->bound->free;
  begin_kernel<<<blocks_for_capacity(c->pair_capacity), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      *c, c->host->nearby.reach, c->host->modulus);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Parameters of the tests for collisions in a recorded time step, which runs as a CUDA graph.
typedef struct Query {
  ContactQuery of;  // the caller's query: relative rounding error of displacements, and addresses of the results
  double reach, modulus;
  // extent: diagonal of the body's bounding box, m. edges: longest displacement, m, that one test covers completely
  // (CONTACT_TESTED_EDGES).
  double extent, edges;
  // conditional handle of the CUDA graph: if a kernel sets its value to 1, the graph runs a search for pairs. 0: no
  // such handle
  cudaGraphConditionalHandle search;
} Query;

// Decides, in one thread, how a recorded time step (CUDA graph) continues after the tests for collisions. There are
// three cases. The function stores the safe fraction; or it starts a search for a new list of pairs; or it sets *wanted
// to 0, and the host must continue. In time steps that are not recorded, the host decides in contact_cuda_bound.
// SEARCHED: true if a search in this time step has made the list that the tests used.
template <bool SEARCHED>
static __device__ void decide(const ContactCuda &c, const Query &query, bool is_usable) {
  BoundState *b = c.bound;
  const double longest = sqrt(of_bits(__ldcg(&b->longest2)));
  const bool whole = longest <= query.extent;  // false for NaN
  const double least = __ldcg(&b->least);

  // true if the tests have covered only the beginning of long displacements, without finding a collision
  const bool rest = SEARCHED && least == 1 && b->tested < 1;
  bool free = is_usable && whole && (query.of.fraction ? !rest : least == 1 && !__ldcg(&b->seen));
  bool searches = SEARCHED ? query.search && is_usable && whole && rest && has_capacity(c, *c.found_count)
                           : !is_usable && whole && (query.of.fraction || longest <= query.edges);
  if (SEARCHED) {
    volatile SearchReport *report = c.search_host;
    const FoundCount found = *c.found_count;
    free = free && has_capacity(c, found);
    report->found.candidates = found.candidates;
    report->found.pairs = found.pairs;
    report->searches = report->searches + 1;
    __threadfence_system();
  }

  b->seen = 0;
  if (searches && SEARCHED) {
    b->tested = b->foreseen = 1;
  } else if (searches) {
    b->tested = fmin(query.edges / longest, 1.0);
    b->foreseen = query.of.touches || b->tested < 1 ? b->tested : fmin(FORESEEN, query.edges / longest);
  } else {
    b->longest2 = b->largest = 0;
  }
  if (free && query.of.fraction) *query.of.fraction = least;
  if (!free && !searches) *query.of.wanted = 0;
  if (!SEARCHED || query.search) cudaGraphSetConditional(query.search, searches);
}

// Computes the safe fraction of the displacements: with it, no pair of the list collides. If query.of.fraction is NULL,
// the caller wants no fraction, but needs to know if pairs touch: the kernel then also tests the pairs at c.trial, the
// positions that Newton's method tries.
template <bool SEARCHED>
static __global__ void __launch_bounds__(BLOCK) search_kernel(ContactCuda c, const __grid_constant__ Query query) {
  BoundState *b = c.bound;
  if (!*query.of.wanted) {
    if ((!SEARCHED || query.search) && blockIdx.x == 0 && threadIdx.x == 0) cudaGraphSetConditional(query.search, 0);
    return;
  }
  const WorseMotion worse = worse_motion(b);
  const bool is_usable = worse.off <= *c.list_slack;
  const int count = is_usable ? pairs_found(c) : 0;
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
    ContactPair pair;
    Touch t;
    if (!may_touch(c, k, query.reach)) continue;
    if (!query.of.fraction && test_pair(c, c.trial, k, query.reach, query.modulus, &pair, &t)) b->seen = 1;
    advance(c, c.pair[k], worse, query.reach, query.of.rounding, SEARCHED ? b->tested : 1);
  }
  __syncthreads();
  if (threadIdx.x == 0 && comes_last(&b->finished)) decide<SEARCHED>(c, query, is_usable);
}

static Query query_of(const ContactCuda *c, const ContactQuery *of, uint64_t search) {
  const Contact *host = c->host;
  const double edges = CONTACT_TESTED_EDGES * host->skin.mean_edge;
  const Query query = { *of, host->nearby.reach, host->modulus, host->skin.extent, edges, search };
  return query;
}

extern "C" bool contact_cuda_queue_bound(ContactCuda *c, const ContactQuery *query, uint64_t search, Stream stream,
                                         Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  // If query->fraction is NULL, begin_kernel or the last test has already set longest2 and largest to 0.
  if (query->fraction && !device_zero(stream, c->bound, sizeof(Sizes), error)) return false;
  motion_kernel<true, true><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, 0, 1, query->wanted);
  off_kernel<true><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, query->wanted);
  search_kernel<false><<<blocks_for_capacity(c->pair_capacity), BLOCK, 0, s>>>(*c, query_of(c, query, search));
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool contact_cuda_queue_search(ContactCuda *c, const ContactQuery *query, uint64_t again, Stream stream,
                                          Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  ContactCuda of = *c;
  choose_slack(&of);
  if (!nearby_cuda_search(&of, (const double(*)[3])c->displacement, 0, &c->bound->foreseen, stream, error))
    return false;
  motion_kernel<true, false><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, c->host->skin.extent, 1, query->wanted);
  off_kernel<true><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, NULL);
  search_kernel<true><<<blocks_for_capacity(c->pair_capacity), BLOCK, 0, s>>>(*c, query_of(c, query, again));
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool contact_cuda_received(ContactCuda *c, bool step, Error *error) {
  const ContactSums none = {};
  const int searches = c->search_host->searches - c->searches_received;
  bool all;
  if (step) {
    *c->on_host = none;
    c->sliding_count = 0;
    c->host_slides = false;
  }
  if (searches == 0) return true;
  c->searches_received += searches;
  c->searches += searches - 1;
  *c->found_host = c->search_host->found;
  choose_slack(c);
  return nearby_cuda_received(c, &all, error);
}
