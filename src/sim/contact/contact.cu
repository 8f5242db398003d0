// Contact of a surface with itself on the GPU: the twin of contact.c, see contact_cuda.h. A thread for each pair says
// what it does; a thread for each vertex then adds up what its pairs do, one after the other.
#include <stddef.h>
#include <string.h>

#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/contact/advance.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.h"

enum { BLOCK = 128, WARPS = BLOCK / 32 };
// Over the slack of the CPU's lists: pairs that do not touch cost less here, and searches more, most of all where
// Newton takes many iterations.
static const double SLACK = 2, SLACK_TOUCHING = 4;
typedef unsigned long long Bits;  // of a double that is not negative: they are ordered as it is

static int blocks_for(int64_t count) {
  return (int)((count + BLOCK - 1) / BLOCK);
}

// What bound and settle find out, and the sums that they need for it. All states that are looked at until the next of
// them are those that it is of, or between.
struct BoundState {
  Bits longest2, largest;  // m^2 and m: of the ways, and of positions and how far these have moved
  Bits off2[2];            // m^2: how far the state and the ways' end are off the list's way
  Bits least_complement;   // ~ of the largest share of the ways: 0 stands for all of them
  double share[2];         // the share of the list's way at which the state is, and the ways' end
  double cap;              // of the ways, so that none is longer than the body
  unsigned finished;       // blocks, 0 between kernels
  // from here on the host knows nothing of it
  double sum[3][CONTACT_PARTS];
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

// the sum of what blocks have left, in order, by the block's first warp; lane 0 gets it
static __device__ double total_of(const double *part, int count) {
  double sum = 0;
  for (int k = threadIdx.x; k < count; k += 32) sum += __ldcg(part + k);
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

// pair k, whether it touches at c.x, and what it does there
static __device__ __forceinline__ bool look_at(const ContactCuda &c, int k, double reach, double modulus,
                                               ContactPair *pair, Touch *touch) {
  double at[4][3];
  if (!may_touch(c, k, reach)) return false;
  *pair = c.pair[k];
  gather(c.x, pair->node, at);
  return pair_touches(pair, modulus, (const double(*)[3])at, touch);
}

static __global__ void __launch_bounds__(BLOCK) touch_kernel(ContactCuda c, double reach, double modulus) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= c.pair_count) return;
  ContactPair pair;
  Touch t;
  const bool touches = look_at(c, k, reach, modulus, &pair, &t);
  c.touches[k] = touches;
  if (!touches) return;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) c.touch[k].force[j][i] = t.force[j][i];
  c.touch[k].energy = t.energy, c.touch[k].owner = pair_owner(pair.node, c.body_nodes);
  atomicAdd(&c.sums->count, 1);
}

typedef struct TwoSums {
  double barrier, friction;
} TwoSums;

static __device__ __forceinline__ void add_two(TwoSums *sum, const TwoSums *more) {
  sum->barrier += more->barrier, sum->friction += more->friction;
}

// A warp goes through the entries of vertex v whose pair has a flag and returns how many there are; the k-th is taken
// by lane k % 32, so that what lanes add up does not depend on the pairs between. turn [32], of the warp.
template <typename Take>
static __device__ __forceinline__ int each_flagged(const EntryRows &rows, const int *flag, int v, int *turn,
                                                   Take take) {
  const int lane = threadIdx.x % 32, last = rows.start[v + 1];
  int count = 0;
  for (int from = rows.start[v]; from < last; from += 32) {
    const int entry = from + lane < last ? rows.entry[from + lane] : -1;
    const bool flagged = entry >= 0 && flag[entry / 4];
    const unsigned all = __ballot_sync(0xffffffff, flagged);
    if (flagged) turn[(count + __popc(all & ((1u << lane) - 1))) % 32] = entry;
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

// a vertex's force and energy, by a warp
static __device__ __forceinline__ void add_forces(const ContactCuda &c, int v, int *turn, TwoSums *sums) {
  const int lane = threadIdx.x % 32;
  double sum[6] = { 0, 0, 0, 0, 0, 0 };  // force, energies of barriers and of friction, and what that has stored
  int count = each_flagged(c.list, c.touches, v, turn, [&](int entry, int) {
    const int j = entry % 4;
    const CudaTouch *t = &c.touch[entry / 4];
#pragma unroll
    for (int i = 0; i < 3; i++) sum[i] += t->force[j][i];
    if (j == t->owner) sum[3] += t->energy;
  });
  const int first = c.sliding_count > 0 ? c.sliding_rows.start[v] : 0;
  const int slides = c.sliding_count > 0 ? c.sliding_rows.count[v] : 0;
  count += slides;
  for (int at = first + lane; at < first + slides; at += 32) {
    const int j = c.sliding_rows.entry[at] % 4;
    const Sliding s = c.sliding[c.sliding_rows.entry[at] / 4];
    double e[3], friction;
    const double way = sliding_way(&s, (const double(*)[3])c.start, (const double(*)[3])c.x, e);
    const double over_way = sliding_force(&s, way, c.still, &friction) * s.weight[j];
#pragma unroll
    for (int i = 0; i < 3; i++) sum[i] -= over_way * e[i];
    if (j == pair_owner(s.node, c.body_nodes)) sum[4] += friction, sum[5] += sliding_stored(&s, way);
  }
  if (count > 0) add_lanes(sum);
  if (lane > 0) return;
#pragma unroll
  for (int i = 0; i < 3; i++) c.force[v][i] = sum[i];
  c.energy[v] = sum[3] + sum[5];
  sums->barrier += sum[3], sums->friction += sum[4];
}

static __global__ void __launch_bounds__(BLOCK) force_kernel(ContactCuda c) {
  __shared__ bool last;
  __shared__ int turn[WARPS][32];
  const int warp = threadIdx.x / 32;
  TwoSums sums = { 0, 0 };
  for (int v = blockIdx.x * WARPS + warp; v < c.vertex_count; v += gridDim.x * WARPS)
    add_forces(c, v, turn[warp], &sums);
  sums = block_combine<BLOCK, TwoSums, add_two>(sums);
  if (threadIdx.x == 0) {
    c.sums->barrier[blockIdx.x] = sums.barrier, c.sums->friction[blockIdx.x] = sums.friction;
    last = comes_last(&c.sums->finished);
  }
  __syncthreads();
  if (!last || threadIdx.x >= 32) return;
  const double barrier = total_of(c.sums->barrier, gridDim.x), friction = total_of(c.sums->friction, gridDim.x);
  if (threadIdx.x != 0) return;
  ContactSums *all = &c.sums->all;
  all->energy = barrier, all->friction_energy = friction, all->count = c.sums->count;
  c.sums->count = 0;
}

static int parts_for(int count) {
  return blocks_for(count) < CONTACT_PARTS ? blocks_for(count) : CONTACT_PARTS;
}

extern "C" bool contact_cuda_forces(ContactCuda *c, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const double reach = c->host->nearby.reach;
  if (c->pair_count > 0) touch_kernel<<<blocks_for(c->pair_count), BLOCK, 0, s>>>(*c, reach, c->host->modulus);
  force_kernel<<<parts_for(32 * c->vertex_count), BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  return device_download(stream, c->told, &c->sums->all, sizeof *c->told, error);
}

static __global__ void __launch_bounds__(BLOCK)
    slide_kernel(ContactCuda c, double reach, double modulus, double friction, bool sticks) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= c.pair_count) return;
  ContactPair pair;
  Touch t;
  const bool touches = look_at(c, k, reach, modulus, &pair, &t);
  c.slides[k] = touches;
  if (!touches) return;
  atomicAdd(c.slide_count, 1);
  Sliding *s = &c.sliding[k];
  for (int j = 0; j < 4; j++) s->node[j] = pair.node[j], s->weight[j] = t.weight[j];
  for (int i = 0; i < 3; i++) s->n[i] = t.n[i];
  s->limit = pair_friction(c.friction, pair.node, friction) * t.push;
  s->edges = t.edges, s->tie = sticks ? t.tie : 0;
  anchor_find(c.anchor, c.anchor_count, pair.node, t.edges, s->stretch);
}

static __global__ void __launch_bounds__(BLOCK) sliding_rows_kernel(ContactCuda c) {
  __shared__ int turn[WARPS][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, v = blockIdx.x * WARPS + warp;
  if (v >= c.vertex_count) return;  // by whole warps
  const int a = c.vertex[v], first = c.list.start[v];
  const int count =
      each_flagged(c.list, c.slides, v, turn[warp], [&](int entry, int k) { c.sliding_rows.entry[first + k] = entry; });
  if (lane < 3) c.start[a][lane] = c.x[a][lane];
  if (lane == 0) c.sliding_rows.start[v] = first, c.sliding_rows.count[v] = count;
}

// room for as many as there are pairs
static bool reserve_sliding(ContactCuda *c, Error *error) {
  const int room = c->pair_room;
  if (room <= c->sliding_room) return true;
  c->sliding_room = 0;
  if (!contact_cuda_renew((void **)&c->sliding, room, sizeof *c->sliding, error) ||
      !contact_cuda_renew((void **)&c->slides, room, sizeof *c->slides, error) ||
      !contact_cuda_renew((void **)&c->sliding_led, room, sizeof *c->sliding_led, error) ||
      !contact_cuda_renew((void **)&c->sliding_tangent, room, sizeof *c->sliding_tangent, error) ||
      !contact_cuda_renew((void **)&c->sliding_entries, 4 * (int64_t)room, sizeof *c->sliding_entries, error) ||
      !contact_cuda_renew((void **)&c->sliding_rows.entry, 4 * (int64_t)room, sizeof *c->sliding_rows.entry, error))
    return false;
  c->sliding_room = room;
  return true;
}

// the host's anchors
static bool send_anchors(ContactCuda *c, Stream stream, Error *error) {
  const int count = (int)c->host->anchor_count;
  c->anchor_count = 0;
  if (count > c->anchor_room) {
    c->anchor_room = 0;
    if (!contact_cuda_renew((void **)&c->anchor, 2 * (int64_t)count, sizeof *c->anchor, error)) return false;
    c->anchor_room = 2 * count;
  }
  c->anchor_count = count;
  return count == 0 || device_upload(stream, c->anchor, c->host->anchor, sizeof *c->anchor * (size_t)count, error);
}

extern "C" bool contact_cuda_begin(ContactCuda *c, double duration, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const Contact *host = c->host;
  c->sliding_count = 0;
  if (!contact_rubs(host) || !isfinite(duration) || c->pair_count == 0) return true;
  c->still = host->still_speed * duration;
  if (!reserve_sliding(c, error)) return false;
  c->sliding_count = c->pair_count;
  if (!device_zero(stream, c->slide_count, sizeof *c->slide_count, error)) return false;
  if (!send_anchors(c, stream, error)) return false;
  slide_kernel<<<blocks_for(c->pair_count), BLOCK, 0, s>>>(*c, host->nearby.reach, host->modulus, host->friction,
                                                           host->sticks);
  sliding_rows_kernel<<<blocks_for(32 * (int64_t)c->vertex_count), BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  return device_download(stream, c->slide_told, c->slide_count, sizeof *c->slide_told, error);
}

extern "C" bool contact_cuda_tell_sliding(const ContactCuda *c, Contact *host, Stream stream, Error *error) {
  const int count = c->sliding_count;
  host->sliding_count = 0;
  host->still = c->still;
  if (count == 0) return true;
  int *slides = (int *)array_new(count, sizeof *slides, "contact", error);
  const bool ok =
      slides &&
      array_reserve((void **)&host->sliding, &host->sliding_room, count, sizeof *host->sliding, "contact", error) &&
      device_download(stream, slides, c->slides, sizeof *slides * (size_t)count, error) &&
      device_download(stream, host->sliding, c->sliding, sizeof *host->sliding * (size_t)count, error) &&
      device_download(stream, host->start, c->start, sizeof *host->start * (size_t)c->node_count, error) &&
      stream_sync(stream, error);
  for (int k = 0; ok && k < count; k++)
    if (slides[k]) host->sliding[host->sliding_count++] = host->sliding[k];
  free(slides);
  return ok;
}

// the tangents of pairs that touch, then of those that slide
static __global__ void __launch_bounds__(BLOCK)
    tangent_kernel(ContactCuda c, double reach, double modulus, double scale) {
  const int k = blockIdx.x * BLOCK + threadIdx.x, slide = k - c.pair_count;
  if (k < c.pair_count) {
    ContactPair pair;
    Touch t;
    const bool touches = look_at(c, k, reach, modulus, &pair, &t);
    c.in_tangent[k] = touches;
    if (!touches) return;
    double B[6] = { 0, 0, 0, 0, 0, 0 };
    add_square6(B, scale * t.curvature, t.n);
    PairTangent *to = &c.tangent[k];
    for (int j = 0; j < 4; j++) to->node[j] = pair.node[j], to->weight[j] = t.weight[j];
    pair_led(to->node, to->weight, c.body_nodes, (const double(*)[3])c.rigid_velocity, c.led[k]);
    pair_drop_rigid(to->node, to->weight, c.body_nodes);
    for (int i = 0; i < 6; i++) to->B[i] = B[i];
  } else if (slide < c.sliding_count && c.slides[slide]) {
    const Sliding s = c.sliding[slide];
    double e[3], B[6];
    const double way = sliding_way(&s, (const double(*)[3])c.start, (const double(*)[3])c.x, e);
    sliding_tangent(&s, way, c.still, scale, e, B);
    PairTangent *to = &c.sliding_tangent[slide];
    for (int j = 0; j < 4; j++) to->node[j] = s.node[j], to->weight[j] = s.weight[j];
    pair_led(to->node, to->weight, c.body_nodes, (const double(*)[3])c.rigid_velocity, c.sliding_led[slide]);
    pair_drop_rigid(to->node, to->weight, c.body_nodes);
    for (int i = 0; i < 6; i++) to->B[i] = B[i];
  }
}

// an entry as products take it, and what it adds to its node's own block
static __device__ __forceinline__ void put_entry(const PairTangent *tangent, int entry, TermEntry *to, double own[6]) {
  const PairTangent *t = &tangent[entry / 4];
  const int corner = entry % 4;
  const double weight = t->weight[corner], square = weight * weight;
#pragma unroll
  for (int i = 0; i < 6; i++) own[i] += square * t->B[i], to->B[i] = t->B[i];
  to->entry = entry;
#pragma unroll
  for (int k = 0; k < 3; k++) {
    const int other = k + (k >= corner);
    to->weight[k] = weight * t->weight[other], to->node[k] = t->node[other];
  }
}

// a vertex's entries of the tangent, and its own block, by a warp; place[v] becomes 1 where there are any and it is the
// body's
static __global__ void __launch_bounds__(BLOCK) tangent_rows_kernel(ContactCuda c) {
  __shared__ int turn[WARPS][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, v = blockIdx.x * WARPS + warp;
  if (v >= c.vertex_count) return;  // by whole warps
  double own[6] = { 0, 0, 0, 0, 0, 0 };
  const int first = c.list.start[v];
  const int count = each_flagged(c.list, c.in_tangent, v, turn[warp],
                                 [&](int entry, int k) { put_entry(c.tangent, entry, &c.entries[first + k], own); });
  const int slides = c.sliding_count > 0 ? c.sliding_rows.count[v] : 0;
  for (int k = lane; k < slides; k += 32) {
    const int at = c.sliding_rows.start[v] + k;
    put_entry(c.sliding_tangent, c.sliding_rows.entry[at], &c.sliding_entries[at], own);
  }
  if (count + slides > 0) add_lanes(own);
  if (lane == 0) {
    for (int i = 0; i < 6; i++) c.own[v][i] = own[i];
    c.tangent_count[v] = count, c.place[v] = count + slides > 0 && c.vertex[v] < c.body_nodes;
  }
}

// the rows of vertices that have entries, once their places among each other are known
static __global__ void __launch_bounds__(BLOCK) rows_kernel(ContactCuda c) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  if (v > c.vertex_count) return;
  if (v == c.vertex_count) {
    c.rows->count = c.place[v];
    return;
  }
  const bool any = c.place[v + 1] > c.place[v];
  c.row_of[c.vertex[v]] = any ? c.place[v] : -1;
  if (any) {
    const bool slides = c.sliding_count > 0;
    TermRow *row = &c.row[c.place[v]];
    row->node = c.vertex[v];
    row->start[0] = c.list.start[v], row->count[0] = c.tangent_count[v];
    row->start[1] = slides ? c.sliding_rows.start[v] : 0, row->count[1] = slides ? c.sliding_rows.count[v] : 0;
  }
}

// where a product finds the tangent's rows, of which there are none yet
static bool send_rows(ContactCuda *c, Stream stream, Error *error) {
  const TermRows rows = { 0, c->row, { c->entries, c->sliding_entries }, c->row_of };
  if (memcmp(&rows, c->rows_host, sizeof rows) == 0) return true;
  memcpy(c->rows_host, &rows, sizeof rows);  // the last one has been sent: whoever makes a tangent has waited since
  return device_upload(stream, c->rows, c->rows_host, sizeof rows, error);
}

extern "C" bool contact_cuda_tangent(ContactCuda *c, double scale, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const bool idle = contact_cuda_idle(c);
  if (idle && c->empty) return true;
  c->empty = idle;
  if (idle) return device_zero(stream, &c->rows->count, sizeof c->rows->count, error);
  // one more than there are, which counts none: all of them
  if (!device_zero(stream, c->place + c->vertex_count, sizeof *c->place, error) || !send_rows(c, stream, error))
    return false;
  const int64_t pairs = (int64_t)c->pair_count + c->sliding_count;
  tangent_kernel<<<blocks_for(pairs), BLOCK, 0, s>>>(*c, c->host->nearby.reach, c->host->modulus, scale);
  tangent_rows_kernel<<<blocks_for(32 * (int64_t)c->vertex_count), BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  if (!nearby_cuda_add_up(c, c->place, c->vertex_count + 1, stream, error)) return false;
  rows_kernel<<<blocks_for((int64_t)c->vertex_count + 1), BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  return true;
}

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

typedef struct ThreeSums {
  double of[3];
} ThreeSums;

static __device__ __forceinline__ void add_three(ThreeSums *sum, const ThreeSums *more) {
  for (int i = 0; i < 3; i++) sum->of[i] += more->of[i];
}

// a little beyond the ends is off the way, but on it
static __device__ __forceinline__ double share_of(double along, double length2) {
  return length2 > 0 && along > 0 ? fmin(along / length2, 1.0) : 0;
}

// Caps the ways, says where the share `looked` of them ends, and at which shares of the list's way are the state and
// that end. MOVES false: there are no ways.
template <bool MOVES>
static __global__ void __launch_bounds__(BLOCK) place_kernel(ContactCuda c, double extent, double looked) {
  __shared__ bool last;
  BoundState *b = c.bound;
  const double longest2 = MOVES ? of_bits(b->longest2) : 0;
  const double cap = longest2 > extent * extent ? extent / sqrt(longest2) : 1;
  ThreeSums sums = { { 0, 0, 0 } };
  for (int v = blockIdx.x * BLOCK + threadIdx.x; v < c.vertex_count; v += gridDim.x * BLOCK) {
    const int a = c.vertex[v];
    for (int i = 0; i < 3; i++) {
      double to = c.x[a][i];
      if (MOVES) {
        if (cap < 1) c.way[a][i] *= cap;
        c.to[a][i] = to += looked * c.way[a][i];
      }
      const double along = c.list_way[a][i], from = c.from[a][i];
      sums.of[0] += (c.x[a][i] - from) * along, sums.of[1] += (to - from) * along, sums.of[2] += along * along;
    }
  }
  sums = block_combine<BLOCK, ThreeSums, add_three>(sums);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; i++) b->sum[i][blockIdx.x] = sums.of[i];
    last = comes_last(&b->finished);
  }
  __syncthreads();
  if (!last || threadIdx.x >= 32) return;
  double all[3];
  for (int i = 0; i < 3; i++) all[i] = total_of(b->sum[i], gridDim.x);
  if (threadIdx.x != 0) return;
  b->share[0] = share_of(all[0], all[2]), b->share[1] = share_of(all[1], all[2]);
  b->cap = cap;
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
        const double off = (k ? c.to : c.x)[a][i] - c.from[a][i] - c.bound->share[k] * c.list_way[a][i];
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
  if (!(off <= slack) || k >= c.pair_count) return;  // the list does not serve, or there is none of this number
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

// another list of pairs, see contact_cuda_find
static bool find(ContactCuda *c, const double (*way)[3], double scale, Stream stream, Error *error) {
  c->slack = (c->told->count > 0 ? SLACK_TOUCHING : SLACK) * c->host->nearby.slack;
  return contact_cuda_find(c, way, scale, stream, error);
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
  return find(c, NULL, 0, stream, error) && device_zero(stream, c->bound, BOUND_TOLD, error);
}

// what there is to know of the first `looked` of the ways, of the pairs that are listed
static bool look_ahead(ContactCuda *c, double rounding, double looked, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const Contact *host = c->host;
  if (!device_zero(stream, c->bound, BOUND_TOLD, error)) return false;
  size_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c);
  place_kernel<true><<<parts_for(c->vertex_count), BLOCK, 0, s>>>(*c, host->skin.extent, looked);
  off_kernel<true><<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c);
  if (c->pair_count > 0)
    advance_kernel<<<blocks_for(c->pair_count), BLOCK, 0, s>>>(*c, host->nearby.reach, c->slack, rounding, looked);
  CUDA_TRY(cudaGetLastError());
  return tell_bound(c, stream, error);
}

static bool serves(const ContactCuda *c) {
  const BoundState *b = c->bound_told;
  return c->found && sqrt(told(b->off2[0])) <= c->slack && sqrt(told(b->off2[1])) <= c->slack;
}

// the same, by another list, of these
static bool look_along(ContactCuda *c, double rounding, double looked, Stream stream, Error *error) {
  return find(c, (const double(*)[3])c->way, looked, stream, error) && look_ahead(c, rounding, looked, stream, error);
}

extern "C" bool contact_cuda_bound(ContactCuda *c, double rounding, double *share, Stream stream, Error *error) {
  *share = 1;
  if (!look_ahead(c, rounding, 1, stream, error)) return false;
  if (!isfinite(told(c->bound_told->longest2))) return true;  // such a step is refused for what it is
  // no further at once than the body is large: lists of pairs stay short
  const double cap = c->bound_told->cap;
  if (!serves(c)) {
    // not as if it went on like this, as the CPU does: lists are longer then, and save few searches
    const double looked = contact_looked(c->host, cap * sqrt(told(c->bound_told->longest2)));
    if (!look_along(c, rounding, looked, stream, error)) return false;
    if (looked < 1 && !c->bound_told->least_complement && !look_along(c, rounding, 1, stream, error)) return false;
  }
  const Bits least = c->bound_told->least_complement;
  *share = cap * (least ? told(~least) : 1);
  return true;
}

// clones of the host's arrays
static bool create_skin(ContactCuda *c, Error *error) {
  const Skin *skin = &c->host->skin;
  const size_t nodes = (size_t)skin->node_count, vertices = (size_t)skin->vertex_count;
  const size_t edges = (size_t)skin->edge_count, triangles = (size_t)skin->triangle_count;
  const size_t obstacles = nodes > (size_t)skin->body_nodes ? nodes - (size_t)skin->body_nodes : 1;
  int *vertex_of = (int *)array_new(skin->node_count, sizeof *vertex_of, "contact", error);
  if (!vertex_of) return false;
  for (size_t a = 0; a < nodes; a++) vertex_of[a] = -1;
  for (size_t v = 0; v < vertices; v++) vertex_of[skin->vertex[v]] = (int)v;
  const struct {
    void **to;
    const void *from;
    size_t bytes;
  } clones[] = {
    { (void **)&c->vertex, skin->vertex, sizeof(int) * vertices },
    { (void **)&c->vertex_of, vertex_of, sizeof(int) * nodes },
    { (void **)&c->edge, skin->edge, sizeof *skin->edge * edges },
    { (void **)&c->triangle, skin->triangle, sizeof *skin->triangle * triangles },
    { (void **)&c->vertex_area, skin->vertex_area, sizeof(double) * vertices },
    { (void **)&c->edge_area, skin->edge_area, sizeof(double) * edges },
    { (void **)&c->factor, skin->factor, sizeof(double) * nodes },
    { (void **)&c->X, skin->X, sizeof *skin->X * nodes },
    { (void **)&c->component, skin->component, sizeof(int) * nodes },
    { (void **)&c->friction, skin->friction, sizeof(double) * nodes },
    { (void **)&c->rigid, c->host->rigid, sizeof *c->rigid * obstacles },
    { (void **)&c->rigid_velocity, c->host->rigid_velocity, sizeof *c->rigid * obstacles },
  };
  bool ok = true;
  for (size_t k = 0; ok && k < sizeof clones / sizeof *clones; k++)
    ok = (*clones[k].to = device_clone(DEVICE_CUDA, clones[k].from, clones[k].bytes, error)) != NULL;
  free(vertex_of);
  return ok;
}

static bool create_arrays(ContactCuda *c, Error *error) {
  const size_t nodes = (size_t)c->node_count, vertices = (size_t)c->vertex_count;
  const struct {
    void **to;
    size_t bytes;
  } arrays[] = {
    { (void **)&c->x, sizeof *c->x * nodes },
    { (void **)&c->way, sizeof *c->way * nodes },
    { (void **)&c->to, sizeof *c->to * nodes },
    { (void **)&c->from, sizeof *c->from * nodes },
    { (void **)&c->list_way, sizeof *c->list_way * nodes },
    { (void **)&c->start, sizeof *c->start * nodes },
    { (void **)&c->force, sizeof *c->force * vertices },
    { (void **)&c->energy, sizeof *c->energy * vertices },
    { (void **)&c->own, sizeof *c->own * vertices },
    { (void **)&c->list.start, sizeof(int) * (vertices + 1) },
    { (void **)&c->tangent_count, sizeof(int) * vertices },
    { (void **)&c->sliding_rows.start, sizeof(int) * (vertices + 1) },
    { (void **)&c->sliding_rows.count, sizeof(int) * vertices },
    { (void **)&c->offset, sizeof(int) * (vertices + (size_t)c->edge_count + 1) },
    { (void **)&c->sums, sizeof *c->sums },
    { (void **)&c->place, sizeof *c->place * (vertices + 1) },
    { (void **)&c->row, sizeof *c->row * vertices },
    { (void **)&c->row_of, sizeof *c->row_of * nodes },
    { (void **)&c->slide_count, sizeof *c->slide_count },
    { (void **)&c->bound, sizeof *c->bound },
    { (void **)&c->partial, 3 * sizeof *c->partial * CONTACT_PARTS },
    { (void **)&c->energies, 3 * sizeof *c->energies },
  };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (!(*arrays[k].to = device_alloc(DEVICE_CUDA, arrays[k].bytes, error))) return false;
  // a product may be asked for before there is a pair
  CUDA_TRY(cudaMemset(c->row_of, 0xff, sizeof *c->row_of * nodes));  // inner nodes have none
  const TermRows none = {};
  if (!(c->rows = (TermRows *)device_clone(DEVICE_CUDA, &none, sizeof none, error))) return false;
  const struct {
    void **to;
    size_t bytes;
  } pinned[] = {
    { (void **)&c->told, sizeof *c->told },
    { (void **)&c->slide_told, sizeof *c->slide_told },
    { (void **)&c->rows_host, sizeof *c->rows_host },
    { (void **)&c->bound_told, sizeof *c->bound_told },
    { (void **)&c->energies_told, 3 * sizeof *c->energies_told },
  };
  for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) {
    if (!(*pinned[k].to = device_alloc_pinned(DEVICE_CUDA, pinned[k].bytes, error))) return false;
    memset(*pinned[k].to, 0, pinned[k].bytes);
  }
  return true;
}

extern "C" bool contact_cuda_create(ContactCuda **contact, const Contact *host, Error *error) {
  ContactCuda *c = *contact = (ContactCuda *)array_new(1, sizeof *c, "contact", error);
  if (!c) return false;
  const Skin *skin = &host->skin;
  c->host = host;
  c->node_count = skin->node_count, c->body_nodes = skin->body_nodes, c->active_nodes = skin->active_nodes,
  c->vertex_count = skin->vertex_count;
  c->edge_count = skin->edge_count, c->triangle_count = skin->triangle_count;
  c->empty = true;
  return create_skin(c, error) && create_arrays(c, error) && nearby_cuda_create(c, error);
}

extern "C" bool contact_cuda_place_rigid(ContactCuda *c, Stream stream, Error *error) {
  const size_t bytes = sizeof *c->rigid * (size_t)(c->node_count - c->body_nodes);
  if (c->active_nodes != c->host->skin.active_nodes) c->found = false;
  c->active_nodes = c->host->skin.active_nodes;
  return device_upload(stream, c->rigid, c->host->rigid, bytes, error) &&
         device_upload(stream, c->rigid_velocity, c->host->rigid_velocity, bytes, error) && stream_sync(stream, error);
}

extern "C" void contact_cuda_destroy(ContactCuda *c) {
  if (!c) return;
  nearby_cuda_destroy(c);
  void *arrays[] = { c->vertex,
                     c->vertex_of,
                     c->edge,
                     c->triangle,
                     c->vertex_area,
                     c->edge_area,
                     c->factor,
                     c->X,
                     c->component,
                     c->friction,
                     c->rigid,
                     c->rigid_velocity,
                     c->x,
                     c->way,
                     c->to,
                     c->from,
                     c->list_way,
                     c->start,
                     c->force,
                     c->energy,
                     c->own,
                     c->list.start,
                     c->offset,
                     c->sums,
                     c->place,
                     c->row,
                     c->row_of,
                     c->rows,
                     c->bound,
                     c->touch,
                     c->touches,
                     c->tangent,
                     c->in_tangent,
                     c->sliding,
                     c->anchor,
                     c->slides,
                     c->partial,
                     c->energies,
                     c->sliding_tangent,
                     c->led,
                     c->sliding_led,
                     c->entries,
                     c->sliding_entries,
                     c->tangent_count,
                     c->slide_count,
                     c->sliding_rows.start,
                     c->sliding_rows.entry,
                     c->sliding_rows.count };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  void *pinned[] = { c->told, c->slide_told, c->rows_host, c->bound_told, c->energies_told };
  for (size_t k = 0; k < sizeof pinned / sizeof *pinned; k++) device_free_pinned(DEVICE_CUDA, pinned[k]);
  free(c);
}
