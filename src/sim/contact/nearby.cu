// Pairs that may touch, found on the GPU: the twin of nearby.c. The trees are those that the host made at rest; a
// thread for each leaf fits its boxes and climbs, the second at a node goes on. A query is a thread, in the order of
// the tree so that neighbours walk alike. Pairs are left in any order with their query and their number in it, and once
// queries are counted put where they belong, so the list is in the CPU's order. Then pairs' corners are sorted by their
// nodes (CUB's radix sort is stable), by which forces are added.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "base/timer.h"
#include "device/cuda_try.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.h"

enum { BLOCK = 128, LANES = 4 };

static int blocks_for(int64_t count) {
  return (int)((count + BLOCK - 1) / BLOCK);
}

static int bits_of(int count) {
  int bits = 1;
  while (bits < 31 && count >> bits) bits++;
  return bits;
}

// The list is of this state and this way, the latter NULL: of none.
static __global__ void take_kernel(ContactCuda c, const double (*way)[3], double scale) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= c.vertex_count) return;
  const int a = c.vertex[k];
#pragma unroll
  for (int i = 0; i < 3; i++) c.from[a][i] = c.x[a][i], c.list_way[a][i] = way ? scale * way[a][i] : 0;
}

// rounded outward
static __device__ __forceinline__ float below(double x) {
  return (float)(x - fabs(x) * 1.1920929e-7);
}
static __device__ __forceinline__ float above(double x) {
  return (float)(x + fabs(x) * 1.1920929e-7);
}

template <int NODES>
static __device__ __forceinline__ SweptBox swept(const ContactCuda &c, const int *node) {
  SweptBox box;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    double low = c.from[node[0]][i], high = low, way_low = c.list_way[node[0]][i], way_high = way_low;
#pragma unroll
    for (int k = 1; k < NODES; k++) {
      const double at = c.from[node[k]][i], to = c.list_way[node[k]][i];
      low = fmin(low, at), high = fmax(high, at), way_low = fmin(way_low, to), way_high = fmax(way_high, to);
    }
    box.low[i] = below(low), box.high[i] = above(high);
    box.way_low[i] = below(way_low), box.way_high[i] = above(way_high);
  }
  return box;
}

static __device__ __forceinline__ void include(SweptBox *box, const SweptBox &more) {
#pragma unroll
  for (int i = 0; i < 3; i++) {
    box->low[i] = fminf(box->low[i], more.low[i]), box->high[i] = fmaxf(box->high[i], more.high[i]);
    box->way_low[i] = fminf(box->way_low[i], more.way_low[i]);
    box->way_high[i] = fmaxf(box->way_high[i], more.way_high[i]);
  }
}

// as another multiprocessor has just written it
static __device__ __forceinline__ SweptBox fresh(const SweptBox *box) {
  SweptBox value;
#pragma unroll
  for (int k = 0; k < (int)(sizeof value / sizeof(float4)); k++)
    ((float4 *)&value)[k] = __ldcg((const float4 *)box + k);
  return value;
}

template <bool EDGES>
static __global__ void __launch_bounds__(BLOCK) fit_kernel(ContactCuda c, CudaTree tree) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= tree.leaf_count) return;
  const TreeNode leaf = tree.node[tree.leaf_node[k]];
  SweptBox box;
  for (int i = 0; i < leaf.count; i++) {
    const int item = tree.item[leaf.first + i];
    const SweptBox one = EDGES ? swept<2>(c, c.edge[item]) : swept<3>(c, c.triangle[item]);
    tree.swept[item] = one;
    if (i == 0)
      box = one;
    else
      include(&box, one);
  }
  tree.box[tree.leaf_node[k]] = box;
  for (int up = leaf.parent; up >= 0; up = tree.node[up].parent) {
    __threadfence();
    if (atomicAdd(&tree.visits[up], 1u) % 2 == 0) return;  // the other child's thread goes on
    __threadfence();
    box = fresh(&tree.box[up + 1]);
    include(&box, fresh(&tree.box[tree.node[up + 1].next]));
    tree.box[up] = box;
  }
}

// See boxes_meet in box_tree.h.
static __device__ __forceinline__ bool meet(const SweptBox &a, const SweptBox &b, float near) {
  bool apart = false;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    const float back = fminf(a.way_low[i] - b.way_high[i], 0), on = fmaxf(a.way_high[i] - b.way_low[i], 0);
    apart = apart || a.low[i] - b.high[i] + back > near || a.high[i] - b.low[i] + on < -near;
  }
  return !apart;
}

// Looks for pairs of the query that some lanes have, which share the items of a leaf: c.offset[query] becomes their
// number. Queries are vertices, then edges.
template <bool EDGES>
static __global__ void __launch_bounds__(BLOCK) query_kernel(ContactCuda c, CudaTree tree, double reach) {
  const int k = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  const unsigned shift = threadIdx.x % 32 / LANES * LANES, together = ((1u << LANES) - 1) << shift;
  if (k >= (EDGES ? c.edge_count : c.vertex_count)) return;  // by all lanes of a query
  const SkinNodes nodes = { c.X, c.factor, c.component, c.body_nodes, c.active_nodes };
  const float near = (float)(1.000001 * (reach + 2 * c.slack));
  const int query = EDGES ? tree.item[k] : k, own_leaf = EDGES ? tree.leaf[query] : 0;
  const int first = EDGES ? c.edge[query][0] : c.vertex[query], second = EDGES ? c.edge[query][1] : first;
  const double own_area = EDGES ? c.edge_area[query] : c.vertex_area[query];
  const SweptBox box = EDGES ? tree.swept[query] : swept<1>(c, &first);
  const int number = EDGES ? c.vertex_count + query : query;
  int count = 0;
  for (int at = own_leaf; at < tree.node_count;) {
    const TreeNode n = tree.node[at];
    const int here = at;
    const bool meets = meet(tree.box[here], box, near);
    at = meets ? at + 1 : n.next;
    if (!meets) continue;
    for (int from = n.first; from < n.first + n.count; from += LANES) {
      ContactPair found;
      bool is_pair = false;
      if (from + lane < n.first + n.count) {
        const int other = tree.item[from + lane];
        const int *o = EDGES ? c.edge[other] : c.triangle[other];
        // edges against those that come after them in the tree, and what shares no node
        const bool counts = !(EDGES && here == own_leaf && other <= query) && first != o[0] && first != o[1] &&
                            (EDGES ? second != o[0] && second != o[1] : first != o[2]);
        if (counts && meet(box, tree.swept[other], near)) {
          const int node[4] = { first, EDGES ? second : o[0], EDGES ? o[0] : o[1], EDGES ? o[1] : o[2] };
          const double area = EDGES ? (own_area + c.edge_area[other]) / 4 : own_area;
          is_pair = pair_candidate(&nodes, c.from, c.list_way, node, EDGES, area, reach, c.slack, &found);
        }
      }
      const unsigned all = __ballot_sync(together, is_pair) >> shift & ((1u << LANES) - 1);
      if (is_pair) {
        const int place = atomicAdd(c.loose_count, 1);
        if (place < c.pair_room) {
          c.loose[place] = found;
          c.loose_place[place].query = number;
          c.loose_place[place].index = count + __popc(all & ((1u << lane) - 1));
        }
      }
      count += __popc(all);
    }
  }
  if (lane == 0) c.offset[number] = count;
}

static __global__ void __launch_bounds__(BLOCK) put_kernel(ContactCuda c, int count) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k < count) c.pair[c.offset[c.loose_place[k].query] + c.loose_place[k].index] = c.loose[k];
}

static __global__ void key_kernel(int count, const ContactPair *pair, const int *vertex_of, unsigned *key,
                                  int *number) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= count) return;
  key[k] = (unsigned)vertex_of[pair[k / 4].node[k % 4]], number[k] = k;
}

// where each vertex's begin among the sorted
static __global__ void row_start_kernel(int count, const unsigned *sorted, int vertices, int *start) {
  const int v = blockIdx.x * BLOCK + threadIdx.x;
  if (v > vertices) return;
  int low = 0, high = count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < (unsigned)v)
      low = middle + 1;
    else
      high = middle;
  }
  start[v] = low;
}

extern "C" bool contact_cuda_renew(void **items, int64_t count, size_t size, Error *error) {
  device_free(DEVICE_CUDA, *items);
  *items = device_alloc(DEVICE_CUDA, (size_t)count * size, error);
  return *items || error_prefix(error, "contact");
}

// room for so many pairs, and half as many again
static bool reserve(ContactCuda *c, int pairs, Error *error) {
  if (pairs <= c->pair_room) return true;
  const int64_t room = (int64_t)pairs + pairs / 2 + 256;
  if (4 * room > INT32_MAX) return error_set(error, "contact: %d pairs are more than indices reach", pairs);
  const struct {
    void **at;
    int64_t count;
    size_t size;
  } arrays[] = {
    { (void **)&c->pair, room, sizeof *c->pair },
    { (void **)&c->loose, room, sizeof *c->loose },
    { (void **)&c->loose_place, room, sizeof *c->loose_place },
    { (void **)&c->list.entry, 4 * room, sizeof *c->list.entry },
    { (void **)&c->key, 4 * room, sizeof *c->key },
    { (void **)&c->sorted, 4 * room, sizeof *c->sorted },
    { (void **)&c->number, 4 * room, sizeof *c->number },
    { (void **)&c->touch, room, sizeof *c->touch },
    { (void **)&c->touches, room, sizeof *c->touches },
    { (void **)&c->tangent, room, sizeof *c->tangent },
    { (void **)&c->in_tangent, room, sizeof *c->in_tangent },
    { (void **)&c->led, room, sizeof *c->led },
    { (void **)&c->entries, 4 * room, sizeof *c->entries },
  };
  c->pair_room = 0;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (!contact_cuda_renew(arrays[k].at, arrays[k].count, arrays[k].size, error)) return false;
  CUDA_TRY(cub::DeviceRadixSort::SortPairs(nullptr, c->sort_bytes, c->key, c->sorted, c->number, c->list.entry,
                                           (int)(4 * room)));
  if (!contact_cuda_renew(&c->sort, (int64_t)c->sort_bytes, 1, error)) return false;
  c->pair_room = (int)room;
  return true;
}

// which pairs a vertex has
static bool list_rows(ContactCuda *c, cudaStream_t s, Error *error) {
  const int entries = 4 * c->pair_count;
  if (entries == 0) {
    CUDA_TRY(cudaMemsetAsync(c->list.start, 0, sizeof *c->list.start * ((size_t)c->vertex_count + 1), s));
    return true;
  }
  key_kernel<<<blocks_for(entries), BLOCK, 0, s>>>(entries, c->pair, c->vertex_of, c->key, c->number);
  size_t bytes = c->sort_bytes;
  CUDA_TRY(cub::DeviceRadixSort::SortPairs(c->sort, bytes, c->key, c->sorted, c->number, c->list.entry, entries, 0,
                                           bits_of(c->vertex_count), s));
  row_start_kernel<<<blocks_for((int64_t)c->vertex_count + 1), BLOCK, 0, s>>>(entries, c->sorted, c->vertex_count,
                                                                              c->list.start);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool nearby_cuda_add_up(ContactCuda *c, int *number, int count, Stream stream, Error *error) {
  size_t bytes = c->scan_bytes;
  CUDA_TRY(cub::DeviceScan::ExclusiveSum(c->scan, bytes, number, number, count, (cudaStream_t)stream.handle));
  return true;
}

// c->offset, and how many pairs there are; as many as there is room for are in c->loose. Waits.
static bool look(ContactCuda *c, int *count, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const double reach = c->host->nearby.reach;
  const int queries = c->vertex_count + c->edge_count;
  CUDA_TRY(cudaMemsetAsync(c->loose_count, 0, sizeof *c->loose_count, s));
  query_kernel<false><<<blocks_for(LANES * (int64_t)c->vertex_count), BLOCK, 0, s>>>(*c, c->triangles, reach);
  query_kernel<true><<<blocks_for(LANES * (int64_t)c->edge_count), BLOCK, 0, s>>>(*c, c->edges, reach);
  CUDA_TRY(cudaGetLastError());
  // one more than there are, which counts none: all of them
  CUDA_TRY(cudaMemsetAsync(c->offset + queries, 0, sizeof *c->offset, s));
  if (!nearby_cuda_add_up(c, c->offset, queries + 1, stream, error)) return false;
  CUDA_TRY(cudaMemcpyAsync(count, c->offset + queries, sizeof *count, cudaMemcpyDeviceToHost, s));
  CUDA_TRY(cudaStreamSynchronize(s));
  return true;
}

extern "C" bool contact_cuda_find(ContactCuda *c, const double (*way)[3], double scale, Stream stream, Error *error) {
  const cudaStream_t s = (cudaStream_t)stream.handle;
  int count = 0;
  const double began = timer_seconds();
  c->searches++;
  c->found = false;
  take_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, way, scale);
  fit_kernel<false><<<blocks_for(c->triangles.leaf_count), BLOCK, 0, s>>>(*c, c->triangles);
  fit_kernel<true><<<blocks_for(c->edges.leaf_count), BLOCK, 0, s>>>(*c, c->edges);
  CUDA_TRY(cudaGetLastError());
  if (!look(c, &count, stream, error)) return false;
  // where there was no room for all, once more
  if (count > c->pair_room && (!reserve(c, count, error) || !look(c, &count, stream, error))) return false;
  c->pair_count = count;
  if (count > 0) put_kernel<<<blocks_for(count), BLOCK, 0, s>>>(*c, count);
  CUDA_TRY(cudaGetLastError());
  c->found = list_rows(c, s, error);
  c->search_s += timer_seconds() - began;
  return c->found;
}

// the host's tree, by its leaves and with parents
static bool create_tree(CudaTree *to, const BoxTree *tree, Error *error) {
  const int nodes = tree->node_count;
  *to = CudaTree{};
  to->item_count = tree->item_count, to->node_count = nodes;
  TreeNode *node = (TreeNode *)array_new(nodes, sizeof *node, "contact", error);
  int *leaf = (int *)array_new(nodes, sizeof *leaf, "contact", error);
  bool ok = node && leaf;
  if (ok && nodes > 0) node[0].parent = -1;
  for (int k = 0; ok && k < nodes; k++) {
    node[k].first = tree->node[k].first, node[k].count = tree->node[k].count, node[k].next = tree->node[k].next;
    if (node[k].count > 0)
      leaf[to->leaf_count++] = k;
    else
      node[k + 1].parent = node[tree->node[k + 1].next].parent = k;
  }
  ok = ok && (to->node = (TreeNode *)device_clone(DEVICE_CUDA, node, sizeof *node * (size_t)nodes, error)) &&
       (to->leaf_node = (int *)device_clone(DEVICE_CUDA, leaf, sizeof *leaf * (size_t)to->leaf_count, error)) &&
       (to->item = (int *)device_clone(DEVICE_CUDA, tree->item, sizeof *tree->item * (size_t)to->item_count, error)) &&
       (to->leaf = (int *)device_clone(DEVICE_CUDA, tree->leaf, sizeof *tree->leaf * (size_t)to->item_count, error)) &&
       (to->box = (SweptBox *)device_alloc(DEVICE_CUDA, sizeof *to->box * (size_t)nodes, error)) &&
       (to->swept = (SweptBox *)device_alloc(DEVICE_CUDA, sizeof *to->swept * (size_t)to->item_count, error)) &&
       (to->visits = (unsigned *)device_alloc(DEVICE_CUDA, sizeof *to->visits * (size_t)nodes, error));
  free(node), free(leaf);
  return ok;
}

static void destroy_tree(CudaTree *tree) {
  void *arrays[] = { tree->item, tree->leaf, tree->leaf_node, tree->node, tree->box, tree->swept, tree->visits };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
}

extern "C" bool nearby_cuda_create(ContactCuda *c, Error *error) {
  const Skin *skin = &c->host->skin;
  const int queries = c->vertex_count + c->edge_count;
  if (!create_tree(&c->triangles, &skin->triangles, error) || !create_tree(&c->edges, &skin->edges, error))
    return false;
  CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, c->scan_bytes, c->offset, c->offset, queries + 1));
  return (c->scan = device_alloc(DEVICE_CUDA, c->scan_bytes, error)) &&
         (c->loose_count = (int *)device_alloc(DEVICE_CUDA, sizeof *c->loose_count, error)) && reserve(c, 1, error);
}

extern "C" void nearby_cuda_destroy(ContactCuda *c) {
  destroy_tree(&c->triangles), destroy_tree(&c->edges);
  void *arrays[] = { c->scan, c->sort,       c->key,   c->sorted,      c->number,
                     c->pair, c->list.entry, c->loose, c->loose_place, c->loose_count };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
}
