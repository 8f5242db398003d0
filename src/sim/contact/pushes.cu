// Forces and tangents of contact pairs on the GPU: the CUDA version of parts of contact.c (see contact_cuda.h). Each
// vertex of the surface has a row of entries 4 * pair + j, one for each pair of which it is node j (EntryRows).
#include <string.h>

#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact_kernels.cuh"

// Computes the forces of one pair. If k < pairs, the pair is number k of the list of pairs, and its forces come from
// the barrier. Otherwise it is sliding pair k - pairs, and its forces come from friction.
static __device__ __forceinline__ void touch(const ContactCuda &c, int k, int pairs, double reach, double modulus) {
  const int slide = k - pairs;
  if (k < pairs) {
    ContactPair pair;
    Touch t;
    if (!test_pair(c, c.x, k, reach, modulus, &pair, &t)) return;
    set_flags(c, k, pair.node, c.touches);
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) c.touch[k].force[j][i] = t.force[j][i];
    c.touch[k].energy = t.energy;
    c.touch[k].owner = pair_owner(pair.node, c.body_nodes);
    atomicAdd(&c.sums->count, 1);
  } else if (c.slides[slide]) {
    const Sliding s = c.sliding[slide];
    CudaRub *rub = &c.rubs[slide];
    double e[3], energy;
    const double path = sliding_path(&s, (const double(*)[3])c.start, (const double(*)[3])c.x, e);
    rub->over_path = sliding_force(&s, path, c.still, &energy);
    rub->energy = energy;
    rub->stored = sliding_stored(&s, path);
    rub->owner = pair_owner(s.node, c.body_nodes);
    for (int i = 0; i < 3; i++) rub->e[i] = e[i];
    for (int j = 0; j < 4; j++) rub->weight[j] = s.weight[j];
  }
}

static __global__ void __launch_bounds__(BLOCK) touch_kernel(ContactCuda c, double reach, double modulus) {
  const int pairs = pairs_now(c), count = pairs + sliding_now(c);
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) touch(c, k, pairs, reach, modulus);
}

typedef struct TwoSums {
  double barrier, friction;
} TwoSums;

static __device__ __forceinline__ void add_two(TwoSums *sum, const TwoSums *more) {
  sum->barrier += more->barrier;
  sum->friction += more->friction;
}

// Ranges of the entries of one vertex, which has an entry for each of its pairs. Listed pairs: c.list.entry[first] to
// entry[last - 1]. Pairs with friction: c.sliding_rows.entry[slide_first] to entry[slide_last - 1].
typedef struct VertexRows {
  int first, last, slide_first, slide_last;
} VertexRows;

// Computes, by one warp, the force on vertex v and its part of the energies, as sums over its pairs.
static __device__ __forceinline__ void add_forces(const ContactCuda &c, int v, const VertexRows &rows, int *turn,
                                                  TwoSums *sums) {
  const int lane = threadIdx.x % 32;
  double sum[6] = { 0, 0, 0, 0, 0, 0 };  // elements 0 to 2: force; then energies of barriers, of friction, of friction
                                         // springs
  int count = each_flagged(c.list.entry, c.touches, FLAG_ANY, rows.first, rows.last, turn, [&](int entry, int) {
    const int j = entry % 4;
    const CudaTouch *t = &c.touch[entry / 4];
#pragma unroll
    for (int i = 0; i < 3; i++) sum[i] += t->force[j][i];
    if (j == t->owner) sum[3] += t->energy;
  });
  count += rows.slide_last - rows.slide_first;
  for (int at = rows.slide_first + lane; at < rows.slide_last; at += 32) {
    const int entry = c.sliding_rows.entry[at], j = entry % 4;
    const CudaRub *rub = &c.rubs[entry / 4];
    const double over_path = rub->over_path * rub->weight[j];
#pragma unroll
    for (int i = 0; i < 3; i++) sum[i] -= over_path * rub->e[i];
    if (j == rub->owner) {
      sum[4] += rub->energy;
      sum[5] += rub->stored;
    }
  }

  if (count > 0) add_lanes(sum);
  if (lane > 0) return;
#pragma unroll
  for (int i = 0; i < 3; i++) c.force[v][i] = sum[i];
  c.energy[v] = sum[3] + sum[5];
  sums->barrier += sum[3];
  sums->friction += sum[4];
}

// Computes the force and energy of each vertex; a warp processes 32 vertices. The pairs of a vertex are a range of
// entries (EntryRows). First, each lane loads the range of one vertex, so that the 32 loads run at the same time. Then
// the whole warp sums the entries of one vertex after the other.
static __global__ void __launch_bounds__(BLOCK) force_kernel(ContactCuda c) {
  __shared__ bool last;
  __shared__ int turn[WARPS][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = gridDim.x * WARPS;
  const bool slides = sliding_now(c) > 0;
  TwoSums sums = { 0, 0 };
  for (int first = blockIdx.x * WARPS + warp; first < c.vertex_count; first += 32 * warps) {
    const int mine = first + lane * warps;
    VertexRows rows = { 0, 0, 0, 0 };
    if (mine < c.vertex_count) {
      rows.first = c.list.start[mine];
      rows.last = c.list.start[mine + 1];
      if (slides) {
        rows.slide_first = c.sliding_rows.start[mine];
        rows.slide_last = rows.slide_first + c.sliding_rows.count[mine];
      }
    }
    unsigned busy = __ballot_sync(0xffffffff, rows.last > rows.first || rows.slide_last > rows.slide_first);
    if (mine < c.vertex_count && !(busy >> lane & 1)) {
      for (int i = 0; i < 3; i++) c.force[mine][i] = 0;
      c.energy[mine] = 0;
    }
    for (; busy; busy &= busy - 1) {
      const int of = __ffs(busy) - 1;
      const VertexRows its = { __shfl_sync(0xffffffff, rows.first, of), __shfl_sync(0xffffffff, rows.last, of),
                               __shfl_sync(0xffffffff, rows.slide_first, of),
                               __shfl_sync(0xffffffff, rows.slide_last, of) };
      add_forces(c, first + of * warps, its, turn[warp], &sums);
    }
  }

  sums = block_combine<BLOCK, TwoSums, add_two>(sums);
  if (threadIdx.x == 0) {
    c.sums->barrier[blockIdx.x] = sums.barrier;
    c.sums->friction[blockIdx.x] = sums.friction;
    last = comes_last(&c.sums->finished);
  }

  __syncthreads();
  if (!last || threadIdx.x >= 32) return;
  const double barrier = total_of(c.sums->barrier, gridDim.x), friction = total_of(c.sums->friction, gridDim.x);
  if (threadIdx.x != 0) return;
  ContactSums *all = &c.sums->all;
  all->energy = barrier;
  all->friction_energy = friction;
  all->count = c.sums->count;
  c.sums->count = 0;
}

// Queues the kernels that compute the forces of all pairs, and sum them for each vertex. `pairs` is an upper bound of
// the number of pairs, `blocks` the grid size of the loop over pairs.
static bool queue_forces(const ContactCuda *c, int pairs, int blocks, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  if (!device_zero(stream, c->touches, 4 * (size_t)pairs, error)) return false;
  if (blocks > 0) touch_kernel<<<blocks, BLOCK, 0, s>>>(*c, c->host->nearby.reach, c->host->modulus);
  force_kernel<<<parts_for(32 * c->vertex_count), BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool contact_cuda_forces(ContactCuda *c, Stream stream, Error *error) {
  return queue_forces(c, c->pair_count, blocks_for((int64_t)c->pair_count + c->sliding_count), stream, error) &&
         device_download(stream, c->on_host, &c->sums->all, sizeof *c->on_host, error);
}

extern "C" const ContactSums *contact_cuda_sums(const ContactCuda *c) {
  return &c->sums->all;
}

extern "C" bool contact_cuda_queue_forces(const ContactCuda *c, const int *sliding, Stream stream, Error *error) {
  ContactCuda of = *c;
  of.sliding_now = sliding;
  return queue_forces(&of, c->pair_capacity, blocks_for_capacity((int64_t)c->pair_capacity + c->sliding_capacity),
                      stream, error);
}

// Computes one pair's terms of the tangent. If k < pairs, the pair is number k of the list of pairs, and its terms come
// from the barrier. Otherwise it is sliding pair k - pairs, and its terms come from friction.
static __device__ __forceinline__ void find_tangent(const ContactCuda &c, int k, int pairs, double reach,
                                                    double modulus, double scale, double slip_fraction) {
  const int slide = k - pairs;
  if (k < pairs) {
    ContactPair pair;
    Touch t;
    const bool touches = test_pair(c, c.x, k, reach, modulus, &pair, &t);
    if (!touches) return;
    set_flags(c, k, pair.node, c.in_tangent);
    PairTangent *to = &c.tangent[k];
    for (int j = 0; j < 4; j++) {
      to->node[j] = pair.node[j];
      to->weight[j] = t.weight[j];
    }
    pair_led(to->node, to->weight, c.body_nodes, (const double(*)[3])c.rigid_velocity, c.led[k]);
    pair_drop_rigid(to->node, to->weight, c.body_nodes);
    for (int i = 0; i < 6; i++) to->B[i] = scale * t.stiffness[i];
  } else if (c.slides[slide]) {
    const Sliding s = c.sliding[slide];
    double e[3], B[6];
    const double path = sliding_path(&s, (const double(*)[3])c.start, (const double(*)[3])c.x, e);
    const double secant =
        pair_slip_fraction(s.node, s.weight, c.body_nodes, (const double(*)[3])c.rigid_velocity, slip_fraction);
    sliding_tangent(&s, path, c.still, scale, secant, e, B);
    PairTangent *to = &c.sliding_tangent[slide];
    for (int j = 0; j < 4; j++) {
      to->node[j] = s.node[j];
      to->weight[j] = s.weight[j];
    }
    pair_led(to->node, to->weight, c.body_nodes, (const double(*)[3])c.rigid_velocity, c.sliding_led[slide]);
    pair_drop_rigid(to->node, to->weight, c.body_nodes);
    for (int i = 0; i < 6; i++) to->B[i] = B[i];
  }
}

static __global__ void __launch_bounds__(BLOCK)
    tangent_kernel(ContactCuda c, double reach, double modulus, double scale, double slip_fraction) {
  const int pairs = pairs_now(c), count = pairs + sliding_now(c);
  if (c.slip_now) slip_fraction = *c.slip_now;
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK)
    find_tangent(c, k, pairs, reach, modulus, scale, slip_fraction);
}

// Adds a pair's terms to the diagonal block of its node j; entry = 4 * pair + j.
static __device__ __forceinline__ void add_entry(const PairTangent *tangent, int entry, double diagonal[6]) {
  const PairTangent *t = &tangent[entry / 4];
  const double square = t->weight[entry % 4] * t->weight[entry % 4];
#pragma unroll
  for (int i = 0; i < 6; i++) diagonal[i] += square * t->B[i];
}

// Stores in *to the off-diagonal blocks of the tangent that couple node j of a pair with the pair's three other nodes,
// in the form that matrix-vector products read (term_rows.h). entry = 4 * pair + j.
static __device__ __forceinline__ void put_entry(const PairTangent *tangent, int entry, TermEntry *to) {
  const PairTangent *t = &tangent[entry / 4];
  const int corner = entry % 4;
  const double weight = t->weight[corner];
#pragma unroll
  for (int i = 0; i < 6; i++) to->B[i] = t->B[i];
#pragma unroll
  for (int k = 0; k < 3; k++) {
    const int other = k + (k >= corner);
    to->weight[k] = weight * t->weight[other];
    to->node[k] = t->node[other];
  }
}

// Computes, by one warp, the row of vertex v in the tangent: its off-diagonal blocks with other vertices, and its
// diagonal block. Sets row_index[v] to 1 if the row has off-diagonal blocks, else to 0.
static __global__ void __launch_bounds__(BLOCK) tangent_rows_kernel(ContactCuda c) {
  __shared__ int turn[WARPS][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, v = blockIdx.x * WARPS + warp;
  if (v >= c.vertex_count) return;  // v is the same in all lanes, so the whole warp returns
  double diagonal[6] = { 0, 0, 0, 0, 0, 0 };
  const int first = c.list.start[v], last = c.list.start[v + 1];
  const bool obstacles = c.body_nodes < c.node_count;
  const bool any = sliding_now(c) > 0;
  const int count =
      each_flagged(c.list.entry, c.in_tangent, FLAG_COUPLES, first, last, turn[warp], [&](int entry, int k) {
        put_entry(c.tangent, entry, &c.entries[first + k]);
        add_entry(c.tangent, entry, diagonal);
      });
  const int alone = obstacles ? each_flagged(c.list.entry, c.in_tangent, FLAG_ALONE, first, last, turn[warp],
                                             [&](int entry, int) { add_entry(c.tangent, entry, diagonal); })
                              : 0;
  const int slides = any ? c.sliding_rows.count[v] : 0, couple = any ? c.sliding_rows.couple_count[v] : 0;
  for (int k = lane; k < slides; k += 32) {
    const int at = c.sliding_rows.start[v] + k, entry = c.sliding_rows.entry[at];
    if (k < couple) put_entry(c.sliding_tangent, entry, &c.sliding_entries[at]);
    add_entry(c.sliding_tangent, entry, diagonal);
  }

  if (count + alone + slides > 0) add_lanes(diagonal);
  if (lane == 0) {
    for (int i = 0; i < 6; i++) c.diagonal_blocks[v][i] = diagonal[i];
    c.tangent_count[v] = count;
    c.tangent_slides[v] = slides;
    c.row_index[v] = count + couple > 0;
  }
}

// Builds c.row: a row for each vertex whose row of the tangent has off-diagonal blocks. row_index [vertex_count + 1]
// now holds prefix sums, so row_index[v] is the index of the row of vertex v.
static __global__ void __launch_bounds__(BLOCK) rows_kernel(ContactCuda c) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  if (v > c.vertex_count) return;
  if (v == c.vertex_count) {
    c.rows->count = c.row_index[v];
    return;
  }
  const bool any = c.row_index[v + 1] > c.row_index[v];
  c.row_of[c.vertex[v]] = any ? c.row_index[v] : -1;
  if (any) {
    const bool slides = sliding_now(c) > 0;
    TermRow *row = &c.row[c.row_index[v]];
    row->node = c.vertex[v];
    row->start[0] = c.list.start[v];
    row->count[0] = c.tangent_count[v];
    row->start[1] = slides ? c.sliding_rows.start[v] : 0;
    row->count[1] = slides ? c.sliding_rows.couple_count[v] : 0;
  }
}

// Uploads c->rows, the addresses of the tangent's rows and entries, if one of them has changed. The number of rows is 0
// until rows_kernel sets it.
static bool send_rows(ContactCuda *c, Stream stream, Error *error) {
  const TermRows rows = { 0, c->row, { c->entries, c->sliding_entries }, c->row_of };
  if (memcmp(&rows, c->rows_host, sizeof rows) == 0) return true;
  // The last upload from rows_host has ended, because callers have waited for the GPU since. So rows_host may change.
  memcpy(c->rows_host, &rows, sizeof rows);
  return device_upload(stream, c->rows, c->rows_host, sizeof rows, error);
}

// Queues the kernels that compute `scale` times the tangent. `pairs` is an upper bound of the number of pairs, and
// `blocks` the grid size of the loop over pairs.
static bool queue_tangent(const ContactCuda *c, int pairs, int blocks, double scale, double slip_fraction,
                          Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;

  // row_index has one more element at its end, which is set to 0 here. Prefix sums later turn this element into the
  // total number of rows.
  if (!device_zero(stream, c->row_index + c->vertex_count, sizeof *c->row_index, error) ||
      !device_zero(stream, c->in_tangent, 4 * (size_t)pairs, error))
    return false;
  tangent_kernel<<<blocks, BLOCK, 0, s>>>(*c, c->host->nearby.reach, c->host->modulus, scale, slip_fraction);
  tangent_rows_kernel<<<blocks_for(32 * (int64_t)c->vertex_count), BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  if (!nearby_cuda_add_up(c, c->row_index, c->vertex_count + 1, stream, error)) return false;
  rows_kernel<<<blocks_for((int64_t)c->vertex_count + 1), BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool contact_cuda_tangent(ContactCuda *c, double scale, double slip_fraction, Stream stream, Error *error) {
  const bool idle = contact_cuda_idle(c);
  if (idle && c->empty) return true;
  c->empty = idle;
  if (idle) return device_zero(stream, &c->rows->count, sizeof c->rows->count, error);
  return send_rows(c, stream, error) &&
         queue_tangent(c, c->pair_count, blocks_for((int64_t)c->pair_count + c->sliding_count), scale, slip_fraction,
                       stream, error);
}

extern "C" bool contact_cuda_prepare(ContactCuda *c, Stream stream, Error *error) {
  return send_rows(c, stream, error) && stream_sync(stream, error);
}

extern "C" bool contact_cuda_queue_tangent(const ContactCuda *c, const int *sliding, double scale,
                                           const double *slip_fraction, Stream stream, Error *error) {
  ContactCuda of = *c;
  of.sliding_now = sliding;
  of.slip_now = slip_fraction;
  return queue_tangent(&of, c->pair_capacity, blocks_for_capacity((int64_t)c->pair_capacity + c->sliding_capacity),
                       scale, 0, stream, error);
}
