// How far steps may go on the GPU, and whether a list of pairs serves: the twin of contact.c and nearby.c, see
// contact_cuda.h.
#include <string.h>

#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/contact/advance.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact_kernels.cuh"

// Over the slack of the CPU's lists: pairs that do not touch cost less here, and searches more, most of all where
// Newton takes many iterations.
static const double SLACK = 2, SLACK_TOUCHING = 4;
// Lists are made for so much more of the ways where nothing touches, as if steps went on like this. Where anything does
// they turn, and longer lists save few searches.
static const double FORESEEN = 2;

// how long ways are, how large positions
static __global__ void __launch_bounds__(BLOCK) size_kernel(ContactCuda c) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  double length2 = 0, largest = 0;
  if (v < c.vertex_count) {
    const int a = c.vertex[v];
    length2 = dot3(c.way[a], c.way[a]);
    for (int i = 0; i < 3 && a < c.body_nodes; i++)
      largest = fmax(largest, fmax(fabs(c.x[a][i]), fabs(c.x[a][i] - c.X[a][i])));
  }
  // of one that is not a number the bits are beyond those of all numbers
  Bits longest = to_bits(fabs(length2)), most = to_bits(largest);
  for (int step = 16; step > 0; step /= 2) {
    longest = max(longest, __shfl_xor_sync(0xffffffff, longest, step));
    most = max(most, __shfl_xor_sync(0xffffffff, most, step));
  }
  if (threadIdx.x % 32 == 0) atomicMax(&c.bound->longest2, longest), atomicMax(&c.bound->largest, most);
}

typedef struct PlaceSums {
  double of[PLACE_SUMS];
} PlaceSums;

static __device__ __forceinline__ void add_places(PlaceSums *sum, const PlaceSums *more) {
  for (int i = 0; i < PLACE_SUMS; i++) sum->of[i] += more->of[i];
}

// Caps the ways, says where the share `looked` of them ends, and where against the list are the state and that end.
// MOVES false: there are no ways.
template <bool MOVES>
static __global__ void __launch_bounds__(BLOCK) place_kernel(ContactCuda c, double extent, double looked) {
  __shared__ bool last;
  __shared__ double all[PLACE_SUMS];
  BoundState *b = c.bound;
  const double longest2 = MOVES ? of_bits(b->longest2) : 0;
  const double cap = longest2 > extent * extent ? extent / sqrt(longest2) : 1;
  PlaceSums sums = {};
  for (int v = blockIdx.x * BLOCK + threadIdx.x; v < c.vertex_count; v += gridDim.x * BLOCK) {
    const int a = c.vertex[v];
#pragma unroll
    for (int i = 0; i < 3; i++) {
      double to = c.x[a][i];
      if (MOVES) {
        if (cap < 1) c.way[a][i] *= cap;
        c.to[a][i] = to += looked * c.way[a][i];
      }
      const double along = c.list_way[a][i], moved[2] = { c.x[a][i] - c.from[a][i], to - c.from[a][i] };
#pragma unroll
      for (int k = 0; k < 2; k++)
        sums.of[PLACE_MOVED + 4 * k + i] += moved[k], sums.of[PLACE_ALONG + 4 * k] += moved[k] * along;
      sums.of[PLACE_WAY + i] += along, sums.of[PLACE_WAY + 3] += along * along;
    }
  }
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
  b->share[k] = place_share(&all[PLACE_MOVED + 4 * k], &all[PLACE_WAY], all[PLACE_ALONG + 4 * k], all[PLACE_WAY + 3],
                            c.vertex_count, b->common[k]);
  if (k == 0) b->cap = cap;
}

// how far both are off the list's way at these shares
template <bool MOVES>
static __global__ void __launch_bounds__(BLOCK) off_kernel(ContactCuda c) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  double off2[2] = { 0, 0 };
  if (v < c.vertex_count) {
    const int a = c.vertex[v];
    for (int k = 0; k < (MOVES ? 2 : 1); k++)
      for (int i = 0; i < 3; i++) {
        const double off =
            (k ? c.to : c.x)[a][i] - c.from[a][i] - c.bound->share[k] * c.list_way[a][i] - c.bound->common[k][i];
        off2[k] += off * off;
      }
  }
  for (int k = 0; k < (MOVES ? 2 : 1); k++) {
    Bits most = to_bits(fabs(off2[k]));
    for (int step = 16; step > 0; step /= 2) most = max(most, __shfl_xor_sync(0xffffffff, most, step));
    if (threadIdx.x % 32 == 0) atomicMax(&c.bound->off2[k], most);
  }
}

// how far each pair may go; between the two places neither share nor off is more than at the worse end
static __global__ void __launch_bounds__(BLOCK)
    advance_kernel(ContactCuda c, double reach, double slack, double rounding, double looked) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  const BoundState *b = c.bound;
  const double share = fmax(b->share[0], b->share[1]), off = sqrt(fmax(of_bits(b->off2[0]), of_bits(b->off2[1])));
  if (!(off <= slack) || k >= pairs_found(c)) return;  // the list does not serve, or there is none of this number
  const ContactPair pair = c.pair[k];
  if (pair.distance - share * pair.closing - 2 * off > reach) return;
  double at[4][3], way[4][3];
  gather(c.x, pair.node, at), gather(c.way, pair.node, way);
  const double most = pair_advance((const double(*)[3])at, (const double(*)[3])way, pair.edges, reach,
                                   rounding * of_bits(b->largest), looked);
  if (most < 1) atomicMax(&c.bound->least_complement, ~to_bits(most));
}

static bool tell_bound(ContactCuda *c, Stream stream, Error *error) {
  return device_download(stream, c->bound_told, c->bound, BOUND_TOLD, error) && stream_sync(stream, error);
}

static double told(Bits bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// how far nodes may be off from now on: see contact_cuda_find
static void choose_slack(ContactCuda *c) {
  c->slack = (c->told->count > 0 ? SLACK_TOUCHING : SLACK) * c->host->nearby.slack;
}

extern "C" bool contact_cuda_settle(ContactCuda *c, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  if (c->found) {
    if (!device_zero(stream, c->bound, BOUND_TOLD, error)) return false;
    place_kernel<false><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, 0, 0);
    off_kernel<false><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c);
    CUDA_TRY(cudaGetLastError());
    if (!tell_bound(c, stream, error)) return false;
    if (sqrt(told(c->bound_told->off2[0])) <= c->slack) return true;
  }
  // the list is of this very state
  choose_slack(c);
  return contact_cuda_find(c, NULL, 0, stream, error) && device_zero(stream, c->bound, BOUND_TOLD, error);
}

// what there is to know of the first `looked` of the ways, of the pairs that are listed, `pairs` at most
static bool look_ahead(ContactCuda *c, int pairs, double rounding, double looked, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const Contact *host = c->host;
  if (!device_zero(stream, c->bound, BOUND_TOLD, error)) return false;
  size_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c);
  place_kernel<true><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, host->skin.extent, looked);
  off_kernel<true><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c);
  if (pairs > 0) advance_kernel<<<blocks_for(pairs), BLOCK, 0, s>>>(*c, host->nearby.reach, c->slack, rounding, looked);
  CUDA_TRY(cudaGetLastError());
  return tell_bound(c, stream, error);
}

static bool serves(const ContactCuda *c) {
  const BoundState *b = c->bound_told;
  return c->found && sqrt(told(b->off2[0])) <= c->slack && sqrt(told(b->off2[1])) <= c->slack;
}

// The same, by another list, of the first `foreseen` of the ways. How many pairs that has is heard with the rest: one
// wait for both.
static bool look_along(ContactCuda *c, double rounding, double looked, double foreseen, Stream stream, Error *error) {
  const double(*way)[3] = (const double(*)[3])c->way;
  choose_slack(c);
  if (c->host->timed)
    return contact_cuda_find(c, way, foreseen, stream, error) &&
           look_ahead(c, c->pair_count, rounding, looked, stream, error);
  for (bool all = false; !all;)
    if (!nearby_cuda_queue(c, way, foreseen, stream, error) ||
        !look_ahead(c, c->pair_room, rounding, looked, stream, error) || !nearby_cuda_heard(c, &all, error))
      return false;
  return true;
}

extern "C" bool contact_cuda_bound(ContactCuda *c, double rounding, double *share, Stream stream, Error *error) {
  *share = 1;
  if (!look_ahead(c, c->pair_count, rounding, 1, stream, error)) return false;
  if (!isfinite(told(c->bound_told->longest2))) return true;  // such a step is refused for what it is
  // no further at once than the body is large: lists of pairs stay short
  const double cap = c->bound_told->cap;
  if (!serves(c)) {
    const double longest = cap * sqrt(told(c->bound_told->longest2)), looked = contact_looked(c->host, longest);
    const double edges = CONTACT_LOOKED * c->host->skin.mean_edge / longest;
    const double foreseen = looked < 1 || c->told->count > 0 ? looked : fmin(FORESEEN, edges);
    if (!look_along(c, rounding, looked, foreseen, stream, error)) return false;
    if (looked < 1 && !c->bound_told->least_complement && !look_along(c, rounding, 1, 1, stream, error)) return false;
  }
  const Bits least = c->bound_told->least_complement;
  *share = cap * (least ? told(~least) : 1);
  return true;
}
