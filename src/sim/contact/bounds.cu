// Bounds of steps on the GPU, and validity of the list of pairs: the CUDA version of parts of contact.c and nearby.c,
// see contact_cuda.h.
#include <string.h>

#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/contact/advance.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact_kernels.cuh"

// Factors on the slack of the CPU's lists. On the GPU, pairs that do not touch cost less, and searches cost more, most
// of all if Newton takes many iterations.
static const double SLACK = 2, SLACK_TOUCHING = 4;
// Factor on the displacements that a list covers if nothing touches, as if the motion continued. In contact,
// displacements change direction, and longer lists save few searches.
static const double FORESEEN = 2;

// Longest displacement, and largest position.
typedef struct Sizes {
  Bits longest2, largest;
} Sizes;

// Includes node a. The bits of a NaN are larger than those of all numbers.
static __device__ __forceinline__ void measure(const ContactCuda &c, int a, Sizes *sizes) {
  double largest = 0;
  for (int i = 0; i < 3 && a < c.body_nodes; i++)
    largest = fmax(largest, fmax(fabs(c.x[a][i]), fabs(c.x[a][i] - c.X[a][i])));
  sizes->longest2 = max(sizes->longest2, to_bits(fabs(dot3(c.displacement[a], c.displacement[a]))));
  sizes->largest = max(sizes->largest, to_bits(largest));
}

// Stores the maxima over a warp.
static __device__ __forceinline__ void keep_sizes(const ContactCuda &c, Sizes sizes) {
  for (int step = 16; step > 0; step /= 2) {
    sizes.longest2 = max(sizes.longest2, __shfl_xor_sync(0xffffffff, sizes.longest2, step));
    sizes.largest = max(sizes.largest, __shfl_xor_sync(0xffffffff, sizes.largest, step));
  }
  if (threadIdx.x % 32 == 0) atomicMax(&c.bound->longest2, sizes.longest2), atomicMax(&c.bound->largest, sizes.largest);
}

static __global__ void __launch_bounds__(BLOCK) size_kernel(ContactCuda c) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  Sizes sizes = { 0, 0 };
  if (v < c.vertex_count) measure(c, c.vertex[v], &sizes);
  keep_sizes(c, sizes);
}

typedef struct PlaceSums {
  double of[PLACE_SUMS];
} PlaceSums;

static __device__ __forceinline__ void add_places(PlaceSums *sum, const PlaceSums *more) {
  for (int i = 0; i < PLACE_SUMS; i++) sum->of[i] += more->of[i];
}

// Caps the displacements, computes the end of their fraction `looked`, and places the state and this end relative to
// the list. MOVES false: there are no displacements. MEASURES: also does the work of size_kernel, for displacements
// that need no cap; does nothing if *wanted is 0. Without MEASURES, if `wanted` is not NULL, the fraction is b->looked.
template <bool MOVES, bool MEASURES>
static __global__ void __launch_bounds__(BLOCK)
    place_kernel(ContactCuda c, double extent, double looked, const int *wanted) {
  __shared__ bool last;
  __shared__ double all[PLACE_SUMS];
  BoundState *b = c.bound;
  if (MEASURES && !*wanted) return;
  if (!MEASURES && wanted) looked = b->looked;
  const double longest2 = MOVES && !MEASURES ? of_bits(b->longest2) : 0;
  const double cap = longest2 > extent * extent ? extent / sqrt(longest2) : 1;
  PlaceSums sums = {};
  Sizes sizes = { 0, 0 };
  for (int v = blockIdx.x * BLOCK + threadIdx.x; v < c.vertex_count; v += gridDim.x * BLOCK) {
    const int a = c.vertex[v];
    if (MEASURES) measure(c, a, &sizes);
#pragma unroll
    for (int i = 0; i < 3; i++) {
      double to = c.x[a][i];
      if (MOVES) {
        if (cap < 1) c.displacement[a][i] *= cap;
        c.to[a][i] = to += looked * c.displacement[a][i];
      }
      const double along = c.list_path[a][i], moved[2] = { c.x[a][i] - c.from[a][i], to - c.from[a][i] };
#pragma unroll
      for (int k = 0; k < 2; k++)
        sums.of[PLACE_MOVED + 4 * k + i] += moved[k], sums.of[PLACE_ALONG + 4 * k] += moved[k] * along;
      sums.of[PLACE_PATH + i] += along, sums.of[PLACE_PATH + 3] += along * along;
    }
  }
  if (MEASURES) keep_sizes(c, sizes);
  sums = block_combine<BLOCK, PlaceSums, add_places>(sums);
  if (threadIdx.x == 0) {
    for (int i = 0; i < PLACE_SUMS; i++) b->sum[i][blockIdx.x] = sums.of[i];
    last = comes_last(&b->finished);
  }
  __syncthreads();
  if (!last) return;
  for (int i = threadIdx.x / 32; i < PLACE_SUMS; i += WARPS) {
    const double sum = total_of(b->sum[i], gridDim.x);
    if (threadIdx.x % 32 == 0) all[i] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= 2) return;
  const int k = threadIdx.x;
  b->fraction[k] = place_share(&all[PLACE_MOVED + 4 * k], &all[PLACE_PATH], all[PLACE_ALONG + 4 * k],
                               all[PLACE_PATH + 3], c.vertex_count, b->common[k]);
  b->off2[k] = 0;
  if (k == 0) b->cap = cap, b->least = 1;
}

// Computes the deviations of both states from the list at these fractions. Does nothing if `wanted` is not NULL and
// *wanted is 0.
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

// Larger fraction and deviation of the state and the displacements' end: they bound all states between.
typedef struct WorsePlace {
  double fraction, off;
} WorsePlace;

static __device__ __forceinline__ WorsePlace worse_place(const BoundState *b) {
  const WorsePlace worse = { fmax(b->fraction[0], b->fraction[1]),
                             sqrt(fmax(of_bits(b->off2[0]), of_bits(b->off2[1]))) };
  return worse;
}

// Limits the fraction of the displacements by one pair.
static __device__ __forceinline__ void advance(const ContactCuda &c, const ContactPair &pair, const WorsePlace &worse,
                                               double reach, double rounding, double looked) {
  if (pair.distance - worse.fraction * pair.closing - 2 * worse.off > reach) return;
  double at[4][3], displacement[4][3];
  gather(c.x, pair.node, at), gather(c.displacement, pair.node, displacement);
  const double maximum = pair_advance((const double(*)[3])at, (const double(*)[3])displacement, pair.edges, reach,
                                      rounding * of_bits(c.bound->largest), looked, &c.bound->least);
  if (maximum < 1) atomicMin((Bits *)&c.bound->least, to_bits(maximum));
}

static __global__ void __launch_bounds__(BLOCK)
    advance_kernel(ContactCuda c, double reach, double slack, double rounding, double looked) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  const WorsePlace worse = worse_place(c.bound);
  if (!(worse.off <= slack) || k >= pairs_found(c)) return;  // the list is not valid, or has no pair k
  advance(c, c.pair[k], worse, reach, rounding, looked);
}

static bool report_bound(ContactCuda *c, Stream stream, Error *error) {
  return device_download(stream, c->bound_host, c->bound, BOUND_HOST, error) && stream_sync(stream, error);
}

static double value_of(Bits bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Returns the slack of the next list: see contact_cuda_find.
static double slack_of(const ContactCuda *c, bool touches) {
  return (touches ? SLACK_TOUCHING : SLACK) * c->host->nearby.slack;
}

static void choose_slack(ContactCuda *c) {
  c->slack = slack_of(c, c->on_host->count > 0);
}

extern "C" bool contact_cuda_settle(ContactCuda *c, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  if (c->found) {
    if (!device_zero(stream, c->bound, BOUND_HOST, error)) return false;
    place_kernel<false, false><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, 0, 0, NULL);
    off_kernel<false><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, NULL);
    CUDA_TRY(cudaGetLastError());
    if (!report_bound(c, stream, error)) return false;
    if (sqrt(value_of(c->bound_host->off2[0])) <= c->slack) return true;
  }
  // search at this state
  choose_slack(c);
  return contact_cuda_find(c, NULL, 0, stream, error) && device_zero(stream, c->bound, BOUND_HOST, error);
}

// Tests the first `looked` of the displacements with the listed pairs, at most `pairs` of them.
static bool look_ahead(ContactCuda *c, int pairs, double rounding, double looked, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const Contact *host = c->host;
  if (!device_zero(stream, c->bound, BOUND_HOST, error)) return false;
  size_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c);
  place_kernel<true, false><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, host->skin.extent, looked, NULL);
  off_kernel<true><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, NULL);
  if (pairs > 0) advance_kernel<<<blocks_for(pairs), BLOCK, 0, s>>>(*c, host->nearby.reach, c->slack, rounding, looked);
  CUDA_TRY(cudaGetLastError());
  return report_bound(c, stream, error);
}

static bool is_usable(const ContactCuda *c) {
  const BoundState *b = c->bound_host;
  return c->found && sqrt(value_of(b->off2[0])) <= c->slack && sqrt(value_of(b->off2[1])) <= c->slack;
}

// As look_ahead, but with a new list for the first `foreseen` of the displacements. The host receives the length of the
// list together with the result, so it waits once.
static bool look_along(ContactCuda *c, double rounding, double looked, double foreseen, Stream stream, Error *error) {
  const double(*displacement)[3] = (const double(*)[3])c->displacement;
  choose_slack(c);
  if (c->host->timed)
    return contact_cuda_find(c, displacement, foreseen, stream, error) &&
           look_ahead(c, c->pair_count, rounding, looked, stream, error);
  for (bool all = false; !all;)
    if (!nearby_cuda_queue(c, displacement, foreseen, stream, error) ||
        !look_ahead(c, c->pair_capacity, rounding, looked, stream, error) || !nearby_cuda_received(c, &all, error))
      return false;
  return true;
}

extern "C" bool contact_cuda_bound(ContactCuda *c, double rounding, double *fraction, Stream stream, Error *error) {
  *fraction = 1;
  if (!look_ahead(c, c->pair_count, rounding, 1, stream, error)) return false;
  if (!isfinite(value_of(c->bound_host->longest2))) return true;  // the caller rejects this step
  // displacements are limited to the size of the body, so that lists of pairs stay short
  const double cap = c->bound_host->cap;
  if (!is_usable(c)) {
    const double longest = cap * sqrt(value_of(c->bound_host->longest2)), looked = contact_looked(c->host, longest);
    const double edges = CONTACT_LOOKED * c->host->skin.mean_edge / longest;
    const double foreseen = looked < 1 || c->on_host->count > 0 ? looked : fmin(FORESEEN, edges);
    if (!look_along(c, rounding, looked, foreseen, stream, error)) return false;
    if (looked < 1 && c->bound_host->least == 1 && !look_along(c, rounding, 1, 1, stream, error)) return false;
  }
  *fraction = cap * c->bound_host->least;
  return true;
}

// Tests if pairs touch at c.x; the last block stores the result and resets the fields for recorded steps.
static __global__ void __launch_bounds__(BLOCK) begin_kernel(ContactCuda c, double reach, double modulus) {
  BoundState *b = c.bound;
  const int count = pairs_found(c);
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
    ContactPair pair;
    Touch t;
    if (look_at(c, c.x, k, reach, modulus, &pair, &t)) b->seen = 1;
  }
  __syncthreads();
  if (threadIdx.x != 0 || !comes_last(&b->finished)) return;
  b->free = !__ldcg(&b->seen), b->seen = 0;
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

// Parameters of the tests in a recorded step.
typedef struct Look {
  ContactLook of;
  double reach, modulus;
  double extent, edges;  // m: of the body; and the longest displacement that is tested as a whole, see contact_looked
  cudaGraphConditionalHandle search;  // condition: another list follows; 0: no further search
} Look;

// Evaluates the tests of a recorded step, as contact_cuda_bound does on the host; by one thread. SEARCHED: with a new
// list.
template <bool SEARCHED>
static __device__ void decide(const ContactCuda &c, const Look &look, bool is_usable) {
  BoundState *b = c.bound;
  const double longest = sqrt(of_bits(__ldcg(&b->longest2)));
  const bool whole = longest <= look.extent;  // false for NaN
  const double least = __ldcg(&b->least);
  const bool rest = SEARCHED && least == 1 && b->looked < 1;  // the rest of long displacements is still untested
  bool free = is_usable && whole && (look.of.fraction ? !rest : least == 1 && !__ldcg(&b->seen));
  bool searches = SEARCHED ? look.search && is_usable && whole && rest && has_capacity(c, *c.found_count)
                           : !is_usable && whole && (look.of.fraction || longest <= look.edges);
  if (SEARCHED) {
    volatile SearchReport *tells = c.search_host;
    const FoundCount found = *c.found_count;
    free = free && has_capacity(c, found);
    tells->found.candidates = found.candidates, tells->found.pairs = found.pairs;
    tells->searches = tells->searches + 1;
    __threadfence_system();
  }
  b->seen = 0;
  if (searches && SEARCHED) {
    b->looked = b->foreseen = 1;
  } else if (searches) {
    b->looked = fmin(look.edges / longest, 1.0);
    b->foreseen = look.of.touches || b->looked < 1 ? b->looked : fmin(FORESEEN, look.edges / longest);
  } else {
    b->longest2 = b->largest = 0;
  }
  if (free && look.of.fraction) *look.of.fraction = least;
  if (!free && !searches) *look.of.wanted = 0;
  if (!SEARCHED || look.search) cudaGraphSetConditional(look.search, searches);
}

// Limits the fraction of the displacements by each pair, and tests if the pair touches at their end.
template <bool SEARCHED>
static __global__ void __launch_bounds__(BLOCK) look_kernel(ContactCuda c, const __grid_constant__ Look look) {
  BoundState *b = c.bound;
  if (!*look.of.wanted) {
    if ((!SEARCHED || look.search) && blockIdx.x == 0 && threadIdx.x == 0) cudaGraphSetConditional(look.search, 0);
    return;
  }
  const WorsePlace worse = worse_place(b);
  const bool is_usable = worse.off <= *c.list_slack;
  const int count = is_usable ? pairs_found(c) : 0;
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
    ContactPair pair;
    Touch t;
    if (!may_touch(c, k, look.reach)) continue;
    if (!look.of.fraction && look_at(c, c.trial, k, look.reach, look.modulus, &pair, &t)) b->seen = 1;
    advance(c, c.pair[k], worse, look.reach, look.of.rounding, SEARCHED ? b->looked : 1);
  }
  __syncthreads();
  if (threadIdx.x == 0 && comes_last(&b->finished)) decide<SEARCHED>(c, look, is_usable);
}

static Look look_of(const ContactCuda *c, const ContactLook *of, uint64_t search) {
  const Contact *host = c->host;
  const double edges = CONTACT_LOOKED * host->skin.mean_edge;
  const Look look = { *of, host->nearby.reach, host->modulus, host->skin.extent, edges, search };
  return look;
}

extern "C" bool contact_cuda_queue_bound(ContactCuda *c, const ContactLook *look, uint64_t search, Stream stream,
                                         Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  // otherwise nothing touches, and begin_kernel or the last test has reset these fields
  if (look->fraction && !device_zero(stream, c->bound, sizeof(Sizes), error)) return false;
  place_kernel<true, true><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, 0, 1, look->wanted);
  off_kernel<true><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, look->wanted);
  look_kernel<false><<<blocks_for_capacity(c->pair_capacity), BLOCK, 0, s>>>(*c, look_of(c, look, search));
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool contact_cuda_queue_search(ContactCuda *c, const ContactLook *look, uint64_t again, Stream stream,
                                          Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  ContactCuda of = *c;
  of.slack = slack_of(c, look->touches);
  if (!nearby_cuda_search(&of, (const double(*)[3])c->displacement, 0, &c->bound->foreseen, stream, error))
    return false;
  place_kernel<true, false><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, c->host->skin.extent, 1, look->wanted);
  off_kernel<true><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, NULL);
  look_kernel<true><<<blocks_for_capacity(c->pair_capacity), BLOCK, 0, s>>>(*c, look_of(c, look, again));
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool contact_cuda_received(ContactCuda *c, bool step, bool touches, Error *error) {
  const ContactSums none = {};
  const int searches = c->search_host->searches - c->searches_received;
  bool all;
  if (step) *c->on_host = none, c->sliding_count = 0, c->host_slides = false;
  if (searches == 0) return true;
  c->searches_received += searches;
  c->searches += searches - 1;
  *c->found_host = c->search_host->found;
  c->slack = slack_of(c, touches);
  return nearby_cuda_received(c, &all, error);
}
