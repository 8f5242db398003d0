// Friction of contact pairs on the GPU: the CUDA version of parts of contact.c. At the start of a time step,
// contact_cuda_begin finds the pairs that have friction in this time step (sliding pairs). At its end,
// contact_cuda_stick stores the pairs' anchors, which are the stretches of friction springs (anchors.h).
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact_kernels.cuh"

static __global__ void __launch_bounds__(BLOCK)
    slide_kernel(ContactCuda c, double reach, double modulus, double friction, bool sticks, bool holds,
                 AnchorTable stuck, uint8_t *slides) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= c.pair_count) return;
  ContactPair pair;
  Touch t;
  const bool touches = test_pair(c, c.x, k, reach, modulus, &pair, &t);
  c.slides[k] = touches;
  if (!touches) return;
  atomicAdd(c.slide_count, 1);
  set_flags(c, k, pair.node, slides);
  Sliding *s = &c.sliding[k];
  for (int j = 0; j < 4; j++) {
    s->node[j] = pair.node[j];
    s->weight[j] = t.weight[j];
  }
  for (int i = 0; i < 3; i++) s->n[i] = t.n[i];
  s->limit = sliding_limit(pair_friction(c.friction, pair.node, friction), t.push, holds);
  s->kind = t.kind;
  s->tie = sticks ? t.tie : 0;
  double at[4][3];
  gather(c.x, pair.node, at);
  anchor_find(&stuck, pair.node, t.kind, (const double(*)[3])at, t.n, s->stretch);
}

// Builds c.sliding_rows: for each vertex, the list of its pairs with friction (EntryRows). slides[k] belongs to
// c.list.entry[k]: it is the flag of the entry's pair (pair_flag), or 0 if the pair has no friction. If `starts` is
// true, c.start is set to the present positions.
static __global__ void __launch_bounds__(BLOCK) sliding_rows_kernel(ContactCuda c, bool starts, const uint8_t *slides) {
  __shared__ int turn[WARPS][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, v = blockIdx.x * WARPS + warp;
  if (v >= c.vertex_count) return;  // v is the same in all lanes, so the whole warp returns
  const int a = c.vertex[v], first = c.list.start[v];
  int count = each_flagged(c.list.entry, slides, FLAG_COUPLES, first, c.list.start[v + 1], turn[warp],
                           [&](int entry, int k) { c.sliding_rows.entry[first + k] = entry; });
  if (lane == 0) c.sliding_rows.couple_count[v] = count;
  if (c.body_nodes < c.node_count)
    count += each_flagged(c.list.entry, slides, FLAG_ALONE, first, c.list.start[v + 1], turn[warp],
                          [&](int entry, int k) { c.sliding_rows.entry[first + count + k] = entry; });
  if (starts && lane < 3) c.start[a][lane] = c.x[a][lane];
  if (lane == 0) {
    c.sliding_rows.start[v] = first;
    c.sliding_rows.count[v] = count;
  }
}

// Enlarges the arrays of pairs with friction to the length of the list of pairs, since all its pairs may touch and have
// friction.
static bool reserve_sliding(ContactCuda *c, Error *error) {
  const int capacity = c->pair_capacity;
  if (capacity <= c->sliding_capacity) return true;
  c->sliding_capacity = 0;
  if (!contact_cuda_renew((void **)&c->sliding, capacity, sizeof *c->sliding, error)) return false;
  if (!contact_cuda_renew((void **)&c->slides, capacity, sizeof *c->slides, error)) return false;
  if (!contact_cuda_renew((void **)&c->rubs, capacity, sizeof *c->rubs, error)) return false;
  if (!contact_cuda_renew((void **)&c->sliding_led, capacity, sizeof *c->sliding_led, error)) return false;
  if (!contact_cuda_renew((void **)&c->sliding_tangent, capacity, sizeof *c->sliding_tangent, error)) return false;
  if (!contact_cuda_renew((void **)&c->sliding_entries, 4 * (int64_t)capacity, sizeof *c->sliding_entries, error))
    return false;
  if (!contact_cuda_renew((void **)&c->sliding_rows.entry, 4 * (int64_t)capacity, sizeof *c->sliding_rows.entry, error))
    return false;
  c->sliding_capacity = capacity;
  return true;
}

extern "C" bool contact_cuda_begin(ContactCuda *c, double duration, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const Contact *host = c->host;
  c->sliding_count = 0;
  c->host_slides = false;
  if (!contact_rubs(host) || (!isfinite(duration) && !host->loading)) return true;
  if (c->pair_count == 0)
    return host->loading || device_copy(stream, c->start, c->x, sizeof *c->x * (size_t)c->node_count, error);
  c->still = host->still_speed * duration;
  if (!reserve_sliding(c, error)) return false;
  c->sliding_count = c->pair_count;
  if (!device_zero(stream, c->slide_count, sizeof *c->slide_count, error)) return false;

  // slides: for each node of each pair a flag, not 0 if the pair has friction in this time step. The memory of `slides`
  // is c->touches, which has this length and is not in use at the start of a time step.
  uint8_t *slides = c->touches;
  if (!device_zero(stream, slides, 4 * (size_t)c->pair_count, error)) return false;
  if (host->loading == LOADING_FIRST &&
      !device_upload(stream, c->start, host->start, sizeof *host->start * (size_t)c->node_count, error))
    return false;
  slide_kernel<<<blocks_for(c->pair_count), BLOCK, 0, s>>>(*c, host->nearby.reach, host->modulus, host->friction,
                                                           contact_has_springs(host), host->loading == LOADING_FIRST,
                                                           host->anchors.table[host->anchors.now], slides);
  sliding_rows_kernel<<<blocks_for(32 * (int64_t)c->vertex_count), BLOCK, 0, s>>>(*c, !host->loading, slides);
  CUDA_TRY(cudaGetLastError());
  return device_download(stream, c->slide_host, c->slide_count, sizeof *c->slide_host, error);
}

// Inserts the anchors of sliding pairs, the stretches of their friction springs, into the hash table. The slot of an
// anchor may differ from run to run, but anchor_find searches by pair and finds the same stretch.
static __global__ void __launch_bounds__(BLOCK) stick_kernel(ContactCuda c, bool loading, AnchorTable table) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  Anchor anchor;
  if (k >= c.sliding_count || !c.slides[k] ||
      !anchor_of(&c.sliding[k], (const double(*)[3])c.start, (const double(*)[3])c.x,
                 (const double(*)[3])(loading ? c.x : c.start), &anchor))
    return;
  const unsigned tag = anchor_tag(anchor.node, (PairKind)anchor.kind), last = (unsigned)table.capacity - 1;
  unsigned at = tag & last;
  while (atomicCAS(&table.tag[at], 0u, tag)) at = (at + 1) & last;
  table.slot[at] = anchor;
}

extern "C" bool contact_cuda_stick(ContactCuda *c, Anchors *anchors, Stream stream, Error *error) {
  const bool stores = contact_stores_anchors(c->host);
  const int64_t count = stores && c->sliding_count > 0 ? *c->slide_host : 0;
  AnchorTable *table;
  if (c->host->loading && !stores) return true;
  if (!anchors_renew(anchors, count, stream, &table, error)) return false;
  if (count == 0) return true;
  stick_kernel<<<blocks_for(c->sliding_count), BLOCK, 0, (cudaStream_t)stream.handle>>>(*c, c->host->loading, *table);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool contact_cuda_report_sliding(const ContactCuda *c, Contact *host, Stream stream, Error *error) {
  const int count = c->sliding_count;
  if (c->host_slides) return true;
  host->sliding_count = 0;
  host->still = c->still;
  if (count == 0) return true;
  int *slides = (int *)array_new(count, sizeof *slides, "contact", error);
  bool ok = slides;
  ok = ok &&
       array_reserve((void **)&host->sliding, &host->sliding_capacity, count, sizeof *host->sliding, "contact", error);
  ok = ok && device_download(stream, slides, c->slides, sizeof *slides * (size_t)count, error);
  ok = ok && device_download(stream, host->sliding, c->sliding, sizeof *host->sliding * (size_t)count, error);
  ok = ok && device_download(stream, host->start, c->start, sizeof *host->start * (size_t)c->node_count, error);
  ok = ok && stream_sync(stream, error);
  for (int k = 0; ok && k < count; k++)
    if (slides[k]) host->sliding[host->sliding_count++] = host->sliding[k];
  free(slides);
  return ok;
}
