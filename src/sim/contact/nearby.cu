// Pairs that may touch, found on the GPU: the twin of nearby.c. The trees are those that the host made at rest, cut
// into groups of 32 boxes. A warp takes 32 queries that are neighbours in their tree, descends with the box of them
// all, looks at 32 boxes at a time, and holds the queries' own boxes against those of the items that are left; what may
// be a pair waits in a queue until 32 are looked at together. What takes time otherwise is the chain of reads of each
// query for itself. Pairs are left in any order with their query and their number in it, and once queries are counted
// put where they belong, so the list is in the CPU's order. Then pairs' corners are sorted by their nodes (CUB's radix
// sort is stable), by which forces are added.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <string.h>

#include "base/timer.h"
#include "device/cuda_try.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.h"

enum { BLOCK = 128, WARPS = BLOCK / 32, LANE_BITS = 5, TOP_MOST = 128 };
static constexpr unsigned ALL = 0xffffffff;

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

// of nothing: it meets no box, and adds nothing to one
static __device__ __forceinline__ SweptBox no_box(void) {
  SweptBox box;
#pragma unroll
  for (int i = 0; i < 3; i++) box.low[i] = box.way_low[i] = INFINITY, box.high[i] = box.way_high[i] = -INFINITY;
  return box;
}

// the box around those of a warp's lanes; every lane gets it
static __device__ __forceinline__ SweptBox around_lanes(SweptBox box) {
  for (int step = 16; step > 0; step /= 2) {
    SweptBox more;
#pragma unroll
    for (int k = 0; k < (int)(sizeof box / sizeof(float)); k++)
      ((float *)&more)[k] = __shfl_xor_sync(ALL, ((const float *)&box)[k], step);
    include(&box, more);
  }
  return box;
}

// a warp fits a group of a tree's items
template <bool EDGES>
static __device__ __forceinline__ void fit_items(const ContactCuda &c, const CudaTree &tree, int at) {
  const int lane = threadIdx.x % 32;
  const BoxGroup group = tree.group[at];
  SweptBox box = no_box();
  if (lane < group.count) {
    const int item = tree.item[group.first + lane];
    box = EDGES ? swept<2>(c, c.edge[item]) : swept<3>(c, c.triangle[item]);
    tree.swept[group.first + lane] = box;
  }
  box = around_lanes(box);
  if (lane == 0) tree.box[at] = box;
}

// the lowest groups of triangles, then those of edges
static __global__ void __launch_bounds__(BLOCK) fit_items_kernel(ContactCuda c) {
  const int at = blockIdx.x * WARPS + threadIdx.x / 32, triangles = c.triangles.level_start[1];
  if (at < triangles)
    fit_items<false>(c, c.triangles, at);
  else if (at - triangles < c.edges.level_start[1])
    fit_items<true>(c, c.edges, at - triangles);
}

// a warp fits a group of the level below, if there is one of that number in the level
static __device__ __forceinline__ bool fit_groups(const CudaTree &tree, int level, int number) {
  if (level >= tree.level_count || number >= tree.level_start[level + 1] - tree.level_start[level]) return false;
  const int lane = threadIdx.x % 32, at = tree.level_start[level] + number;
  const BoxGroup group = tree.group[at];
  SweptBox box = no_box();
  if (lane < group.count) box = tree.box[tree.level_start[level - 1] + group.first + lane];
  box = around_lanes(box);
  if (lane == 0) tree.box[at] = box;
  return true;
}

static __host__ __device__ int level_groups(const CudaTree &tree, int level) {
  return level < tree.level_count ? tree.level_start[level + 1] - tree.level_start[level] : 0;
}

// those of a level above the lowest, likewise
static __global__ void __launch_bounds__(BLOCK) fit_groups_kernel(ContactCuda c, int level) {
  const int at = blockIdx.x * WARPS + threadIdx.x / 32;
  if (!fit_groups(c.triangles, level, at)) fit_groups(c.edges, level, at - level_groups(c.triangles, level));
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

// What a warp keeps while it looks for pairs of a group of queries.
typedef struct Room {
  int found[32];     // pairs of each query
  SweptBox box[32];  // of the items looked at, with their nodes (of an edge the last is -1), leaf and number
  int node[32][3], leaf[32], item[32];
  unsigned queue[32 * 33];  // what may be pairs: the item's place in its tree and the query's lane
} Room;

// a lane's query
typedef struct Query {
  int item, leaf, node[2];  // of a vertex both are the same
  double area;
  SweptBox box;
} Query;

// Looks at the first `count` of the queue, 32 at most, a lane each.
template <bool EDGES>
static __device__ __forceinline__ void look_at_queued(const ContactCuda &c, const CudaTree &tree, const Query &mine,
                                                      const unsigned *queue, int count, double reach, int *found_of) {
  const int lane = threadIdx.x % 32;
  const SkinNodes nodes = { c.X, c.factor, c.component, c.body_nodes, c.active_nodes };
  const unsigned entry = queue[lane < count ? lane : 0];
  const int of = entry % 32, first = __shfl_sync(ALL, mine.node[0], of), second = __shfl_sync(ALL, mine.node[1], of);
  const int query = __shfl_sync(ALL, mine.item, of);
  const double own_area = __shfl_sync(ALL, mine.area, of);
  ContactPair found;
  bool is_pair = false;
  if (lane < count) {
    const int other = tree.item[entry >> LANE_BITS];
    const int *o = EDGES ? c.edge[other] : c.triangle[other];
    const int node[4] = { first, EDGES ? second : o[0], EDGES ? o[0] : o[1], EDGES ? o[1] : o[2] };
    const double area = EDGES ? (own_area + c.edge_area[other]) / 4 : own_area;
    is_pair = pair_candidate(&nodes, c.from, c.list_way, node, EDGES, area, reach, c.slack, &found);
  }
  const unsigned pairs = __ballot_sync(ALL, is_pair);
  const unsigned same = __match_any_sync(ALL, lane < count ? of : 32) & pairs;  // of the same query
  if (pairs == 0) return;                                                       // by all lanes
  const int before = found_of[of];
  int place = 0;
  if (lane == 0) place = atomicAdd(c.loose_count, __popc(pairs));
  place = __shfl_sync(ALL, place, 0) + __popc(pairs & ((1u << lane) - 1));
  if (is_pair && place < c.pair_room) {
    c.loose[place] = found;
    c.loose_place[place].query = EDGES ? c.vertex_count + query : query;
    c.loose_place[place].index = before + __popc(same & ((1u << lane) - 1));
  }
  __syncwarp();
  if (is_pair && lane == 31 - __clz(same)) found_of[of] = before + __popc(same);  // the last of each query
  __syncwarp();
}

// Holds the queries against the items of a group; what may be pairs goes to the end of the queue. Returns its length.
template <bool EDGES>
static __device__ __forceinline__ int hold_against(const ContactCuda &c, const CudaTree &tree, const BoxGroup &group,
                                                   const Query &mine, const SweptBox &whole, float near, Room *room,
                                                   int queued) {
  const int lane = threadIdx.x % 32;
  bool meets = false;
  if (lane < group.count) {
    const SweptBox box = tree.swept[group.first + lane];
    meets = meet(whole, box, near);
    if (meets) {
      const int item = tree.item[group.first + lane];
      const int *o = EDGES ? c.edge[item] : c.triangle[item];
      room->box[lane] = box;
      room->node[lane][0] = o[0], room->node[lane][1] = o[1], room->node[lane][2] = EDGES ? -1 : o[2];
      room->leaf[lane] = tree.leaf[group.first + lane], room->item[lane] = item;
    }
  }
  unsigned hits = 0;
  const unsigned all = __ballot_sync(ALL, meets);
  __syncwarp();
  for (unsigned left = all; left; left &= left - 1) {
    const int k = __ffs(left) - 1;
    const int *o = room->node[k];
    // edges against those that come after them in the tree, and what shares no node
    const bool after = !EDGES || room->leaf[k] > mine.leaf || (room->leaf[k] == mine.leaf && room->item[k] > mine.item);
    const bool apart = mine.node[0] != o[0] && mine.node[0] != o[1] &&
                       (EDGES ? mine.node[1] != o[0] && mine.node[1] != o[1] : mine.node[0] != o[2]);
    if (after && apart && meet(mine.box, room->box[k], near)) hits |= 1u << k;
  }
  int end = __popc(hits);  // of the lane's in the queue
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(ALL, end, step);
    if (lane >= step) end += before;
  }
  int at = queued + end - __popc(hits);
  for (unsigned left = hits; left; left &= left - 1)
    room->queue[at++] = (unsigned)(group.first + __ffs(left) - 1) << LANE_BITS | (unsigned)lane;
  queued += __shfl_sync(ALL, end, 31);
  __syncwarp();
  return queued;
}

// Looks for pairs of the queries of a group, by a warp: c.offset[query] becomes the number of each.
template <bool EDGES>
static __device__ __forceinline__ void look_for(const ContactCuda &c, int number, double reach, Room *room) {
  const CudaTree &own = EDGES ? c.edges : c.vertices, &tree = EDGES ? c.edges : c.triangles;
  const int lane = threadIdx.x % 32, top = tree.level_count - 1;
  const float near = (float)(1.000001 * (reach + 2 * c.slack));
  const BoxGroup queries = own.group[number];
  Query mine = { -1, -1, { -1, -1 }, 0, no_box() };
  if (lane < queries.count) {
    mine.item = own.item[queries.first + lane], mine.leaf = own.leaf[queries.first + lane];
    mine.node[0] = EDGES ? c.edge[mine.item][0] : c.vertex[mine.item];
    mine.node[1] = EDGES ? c.edge[mine.item][1] : mine.node[0];
    mine.area = EDGES ? c.edge_area[mine.item] : c.vertex_area[mine.item];
    mine.box = EDGES ? tree.swept[queries.first + lane] : swept<1>(c, mine.node);
  }
  const SweptBox whole = around_lanes(mine.box);
  int begin = queries.first;  // of the leaf, which groups may divide
  while (EDGES && begin > 0 && own.leaf[begin - 1] == own.leaf[queries.first]) begin--;
  room->found[lane] = 0;
  __syncwarp();
  int queued = 0;
  // depth first, so that items are met in the tree's order: members of each level that are still to be visited
  int base[TREE_LEVELS];
  unsigned left[TREE_LEVELS];
  const auto open = [&](int level, int first, int count) {  // those of groups first on that may come near
    bool meets = false;
    if (lane < count) {
      const int at = tree.level_start[level] + first + lane;
      meets = (!EDGES || tree.group[at].end > begin) && meet(whole, tree.box[at], near);
    }
    base[level] = tree.level_start[level] + first, left[level] = __ballot_sync(ALL, meets);
  };
  const int tops = level_groups(tree, top);
  for (int first = 0; first < tops; first += 32) {
    int level = top;
    open(level, first, tops - first);
    for (;;) {
      if (left[level] == 0) {
        if (level == top) break;
        level++;
        continue;
      }
      const BoxGroup group = tree.group[base[level] + __ffs(left[level]) - 1];
      left[level] &= left[level] - 1;
      if (level > 0) {
        level--;
        open(level, group.first, group.count);
        continue;
      }
      queued = hold_against<EDGES>(c, tree, group, mine, whole, near, room, queued);
      int done = 0;
      for (; queued - done >= 32; done += 32)
        look_at_queued<EDGES>(c, tree, mine, room->queue + done, 32, reach, room->found);
      if (done > 0) {
        queued -= done;
        const unsigned rest = lane < queued ? room->queue[done + lane] : 0;
        __syncwarp();
        if (lane < queued) room->queue[lane] = rest;
        __syncwarp();
      }
    }
  }
  if (queued > 0) look_at_queued<EDGES>(c, tree, mine, room->queue, queued, reach, room->found);
  __syncwarp();
  if (lane < queries.count) c.offset[EDGES ? c.vertex_count + mine.item : mine.item] = room->found[lane];
}

// Queries are edges, then vertices; c.offset has vertices first.
static __global__ void __launch_bounds__(BLOCK) query_kernel(ContactCuda c, double reach) {
  __shared__ Room rooms[WARPS];
  const int number = blockIdx.x * WARPS + threadIdx.x / 32, edges = level_groups(c.edges, 0);
  if (number < edges)
    look_for<true>(c, number, reach, &rooms[threadIdx.x / 32]);
  else if (number - edges < level_groups(c.vertices, 0))
    look_for<false>(c, number - edges, reach, &rooms[threadIdx.x / 32]);
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
  const int64_t groups = level_groups(c->edges, 0) + (int64_t)level_groups(c->vertices, 0);
  query_kernel<<<blocks_for(32 * groups), BLOCK, 0, s>>>(*c, reach);
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
  for (int level = 0; level < c->triangles.level_count || level < c->edges.level_count; level++) {
    const int blocks = blocks_for(32 * ((int64_t)level_groups(c->triangles, level) + level_groups(c->edges, level)));
    if (level == 0)
      fit_items_kernel<<<blocks, BLOCK, 0, s>>>(*c);
    else
      fit_groups_kernel<<<blocks, BLOCK, 0, s>>>(*c, level);
  }
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

static bool far_apart(const double a[3], const double b[3], double gap) {
  double between[3];
  subtract3(a, b, between);
  return dot3(between, between) > gap * gap;
}

// A tree's groups, level by level: nodes of 32 members at most whose parent has more. Returns how many levels there
// are, of which the last has no more than TOP_MOST groups. Groups of items are cut again where two that follow each
// other are further apart than `gap` at their middles: the tree halves by number, and one warp whose queries are on two
// bodies would meet all between. below [node_count + 1] is room: how many members come before each node.
static int cut(const BoxTree *tree, const double (*middle)[3], double gap, int *below, BoxGroup *group,
               int level_start[TREE_LEVELS + 1]) {
  const int nodes = tree->node_count;
  int levels = 0, groups = 0;
  for (int k = 0, items = 0; k <= nodes; k++) {
    below[k] = items;
    if (k < nodes) items += tree->node[k].count;
  }
  level_start[0] = 0;
  while (nodes > 0 && levels < TREE_LEVELS && (levels == 0 || groups - level_start[levels - 1] > TOP_MOST)) {
    const int first_group = groups;
    for (int k = 0; k < nodes;) {
      const int next = tree->node[k].next, first = below[k], count = below[next] - first;
      below[k] = groups - first_group;  // of the next level the members are these groups
      if (count > 32) {
        k++;
        continue;
      }
      k = next;
      if (levels > 0) {
        group[groups++] = BoxGroup{ first, count, group[level_start[levels - 1] + first + count - 1].end };
        continue;
      }
      for (int from = first, to = first + 1; from < first + count; to++) {
        if (to < first + count && !far_apart(middle[tree->item[to]], middle[tree->item[to - 1]], gap)) continue;
        group[groups++] = BoxGroup{ from, to - from, to };
        from = to;
      }
    }
    below[nodes] = groups - first_group;
    level_start[++levels] = groups;
  }
  return levels;
}

// the host's tree by groups, of items of `corners` nodes each; `fits`: with boxes
static bool create_tree(CudaTree *to, const BoxTree *tree, const Skin *skin, const int *node, int corners, bool fits,
                        Error *error) {
  const double GAP = 8;  // mean edges, of which a group is some four wide
  const int nodes = tree->node_count, items = tree->item_count;
  *to = CudaTree{};
  to->item_count = items;
  if (items >= 1 << (31 - LANE_BITS)) return error_set(error, "contact: %d edges are more than it takes", items);
  int *below = (int *)array_new(nodes + (int64_t)1, sizeof *below, "contact", error);
  int *leaf = (int *)array_new(items, sizeof *leaf, "contact", error);
  BoxGroup *group = (BoxGroup *)array_new(TREE_LEVELS * (int64_t)items, sizeof *group, "contact", error);
  double(*middle)[3] = (double(*)[3])array_new(items, sizeof *middle, "contact", error);
  bool ok = below && leaf && group && middle;
  for (int k = 0; ok && k < items; k++) {
    leaf[k] = tree->leaf[tree->item[k]];
    for (int j = 0; j < corners; j++)
      for (int i = 0; i < 3; i++) middle[k][i] += skin->X[node[k * corners + j]][i] / corners;
  }
  if (ok) to->level_count = cut(tree, (const double(*)[3])middle, GAP * skin->mean_edge, below, group, to->level_start);
  const size_t groups = ok ? (size_t)to->level_start[to->level_count] : 0, count = (size_t)items;
  ok = ok && (to->group = (BoxGroup *)device_clone(DEVICE_CUDA, group, sizeof *group * groups, error)) &&
       (to->item = (int *)device_clone(DEVICE_CUDA, tree->item, sizeof *to->item * count, error)) &&
       (to->leaf = (int *)device_clone(DEVICE_CUDA, leaf, sizeof *leaf * count, error)) &&
       (!fits || ((to->box = (SweptBox *)device_alloc(DEVICE_CUDA, sizeof *to->box * groups, error)) &&
                  (to->swept = (SweptBox *)device_alloc(DEVICE_CUDA, sizeof *to->swept * count, error))));
  free(below), free(leaf), free(group), free(middle);
  return ok;
}

static void destroy_tree(CudaTree *tree) {
  void *arrays[] = { tree->item, tree->leaf, tree->group, tree->box, tree->swept };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
}

// The skin's vertices in an order in which neighbours follow each other: as edges and triangles, by a tree.
static bool create_vertices(ContactCuda *c, Error *error) {
  const Skin *skin = &c->host->skin;
  BoxTree tree = {};
  double(*middle)[3] = (double(*)[3])array_new(skin->vertex_count, sizeof *middle, "contact", error);
  for (int k = 0; middle && k < skin->vertex_count; k++) memcpy(middle[k], skin->X[skin->vertex[k]], sizeof middle[k]);
  const bool ok = middle && box_tree_create(&tree, (const double(*)[3])middle, skin->vertex_count, error) &&
                  create_tree(&c->vertices, &tree, skin, skin->vertex, 1, false, error);
  box_tree_destroy(&tree);
  free(middle);
  return ok;
}

extern "C" bool nearby_cuda_create(ContactCuda *c, Error *error) {
  const Skin *skin = &c->host->skin;
  const int queries = c->vertex_count + c->edge_count;
  if (!create_tree(&c->triangles, &skin->triangles, skin, skin->triangle[0], 3, true, error) ||
      !create_tree(&c->edges, &skin->edges, skin, skin->edge[0], 2, true, error) || !create_vertices(c, error))
    return false;
  CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, c->scan_bytes, c->offset, c->offset, queries + 1));
  return (c->scan = device_alloc(DEVICE_CUDA, c->scan_bytes, error)) &&
         (c->loose_count = (int *)device_alloc(DEVICE_CUDA, sizeof *c->loose_count, error)) && reserve(c, 1, error);
}

extern "C" void nearby_cuda_destroy(ContactCuda *c) {
  destroy_tree(&c->triangles), destroy_tree(&c->edges), destroy_tree(&c->vertices);
  void *arrays[] = { c->scan, c->sort,       c->key,   c->sorted,      c->number,
                     c->pair, c->list.entry, c->loose, c->loose_place, c->loose_count };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
}
