// Search on the GPU for pairs that may touch: the CUDA version of nearby.c. It searches in trees whose groups have up
// to 32 boxes (CudaTree). A query is an edge or a vertex whose pairs are searched.
//
// A search has three phases:
// 1. A warp takes a few queries that are neighbours in their tree. It descends in the other tree and tests the box
//    around all its queries against 32 boxes at a time. On the lowest level it tests the box of each query against the
//    boxes of the items. The results are candidates for pairs.
// 2. A second kernel tests the candidates exactly, one thread per candidate. Inside the first kernel this test would
//    lengthen the slowest warps, for which the whole kernel waits.
// 3. Both kernels write results in any order. Therefore pairs are counted by query, and then sorted by query and item.
//    The list of pairs then has the same order as on the CPU. The pairs' entries (EntryRows) are sorted by node in the
//    same way.
//
// Kernels read all counts on the GPU and run grid-stride loops. The host waits once, at the end, for the counts.
#include "base/timer.h"
#include "device/cuda_try.h"
#include "device/device_sort.h"
#include "sim/contact/candidate.h"
#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.cuh"

namespace nearby {

// Each warp processes QUERIES = 8 queries, vertices or edges whose pairs are searched. SLICES = 4 lanes work on each
// query and test different items. WAITING is the number of candidates that the warp can store in shared memory.
enum { BLOCK = 128, WARPS = BLOCK / 32, QUERIES = 8, SLICES = 32 / QUERIES, WAITING = 512 };
static constexpr unsigned ALL = 0xffffffff;

static int blocks_for(int64_t count) {
  return (int)((count + BLOCK - 1) / BLOCK);
}

// Stores the prediction for which a new list of pairs is made: positions c.from, and displacements c.list_path = scale
// * displacement, or 0 if `displacement` is NULL. If `fraction` is not NULL, *fraction is used in place of `scale`.
static __global__ void take_kernel(ContactCuda c, const double (*displacement)[3], double scale,
                                   const double *fraction) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= c.vertex_count) return;
  const int a = c.vertex[k];
  if (k == 0) *c.list_slack = c.slack;
  if (fraction) scale = *fraction;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    c.from[a][i] = c.x[a][i];
    c.list_path[a][i] = displacement ? scale * displacement[a][i] : 0;
  }
}

// Round x to a float. below: the result is not above x. above: the result is not below x.
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
    double low = c.from[node[0]][i], high = low, path_low = c.list_path[node[0]][i], path_high = path_low;
#pragma unroll
    for (int k = 1; k < NODES; k++) {
      const double at = c.from[node[k]][i], to = c.list_path[node[k]][i];
      low = fmin(low, at);
      high = fmax(high, at);
      path_low = fmin(path_low, to);
      path_high = fmax(path_high, to);
    }
    box.low[i] = below(low);
    box.high[i] = above(high);
    box.path_low[i] = below(path_low);
    box.path_high[i] = above(path_high);
  }
  return box;
}

static __device__ __forceinline__ void include(SweptBox *box, const SweptBox &more) {
#pragma unroll
  for (int i = 0; i < 3; i++) {
    box->low[i] = fminf(box->low[i], more.low[i]);
    box->high[i] = fmaxf(box->high[i], more.high[i]);
    box->path_low[i] = fminf(box->path_low[i], more.path_low[i]);
    box->path_high[i] = fmaxf(box->path_high[i], more.path_high[i]);
  }
}

// Returns an empty box. It overlaps no box, unless `near` is infinite. The box around an empty box and another box is
// the other box.
static __device__ __forceinline__ SweptBox no_box(void) {
  SweptBox box;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    box.low[i] = box.path_low[i] = INFINITY;
    box.high[i] = box.path_high[i] = -INFINITY;
  }
  return box;
}

// Returns, in every lane, the box around the boxes of all lanes of the warp.
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

// Computes, by one warp, the boxes of the items of group `at`, one item for each lane, and the box around them.
template <bool EDGES>
static __device__ __forceinline__ void fit_items(const ContactCuda &c, const CudaTree &tree, int at) {
  const int lane = threadIdx.x % 32;
  const BoxGroup group = tree.group[at];
  SweptBox box = no_box();
  if (lane < group.count) {
    box = swept < EDGES ? 2 : 3 > (c, tree.item[group.first + lane].node);
    tree.swept[group.first + lane] = box;
  }
  box = around_lanes(box);
  if (lane == 0) tree.box[at] = box;
}

// Computes the boxes of the groups of the lowest level, whose members are items; one warp per group. The first warps
// process groups of triangles, the next ones groups of edges.
static __global__ void __launch_bounds__(BLOCK) fit_items_kernel(ContactCuda c) {
  const int at = blockIdx.x * WARPS + threadIdx.x / 32, triangles = c.triangles.level_start[1];
  if (at < triangles)
    fit_items<false>(c, c.triangles, at);
  else if (at - triangles < c.edges.level_start[1])
    fit_items<true>(c, c.edges, at - triangles);
}

// Computes, by one warp, the box of group number `number` of `level`, from the boxes of its members on the level below.
// Returns false if the level has no such group.
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

// Computes the boxes of all groups of `level`, above 0, one warp per group. The first warps process groups of
// triangles, the next ones groups of edges.
static __global__ void __launch_bounds__(BLOCK) fit_groups_kernel(ContactCuda c, int level) {
  const int at = blockIdx.x * WARPS + threadIdx.x / 32;
  if (!fit_groups(c.triangles, level, at)) fit_groups(c.edges, level, at - level_groups(c.triangles, level));
}

// Returns true if the objects in two boxes may come within `near`, m, of each other during their displacements
// (boxes_overlap in box_tree.h).
static __device__ __forceinline__ bool overlap(const SweptBox &a, const SweptBox &b, float near) {
  bool apart = false;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    const float back = fminf(a.path_low[i] - b.path_high[i], 0), on = fmaxf(a.path_high[i] - b.path_low[i], 0);
    apart = apart || a.low[i] - b.high[i] + back > near || a.high[i] - b.low[i] + on < -near;
  }
  return !apart;
}

// Data of one warp in shared memory during its search.
typedef struct Capacity {
  // The items of the tested group whose boxes are near the queries: their boxes, primitives, and indices in the tree.
  SweptBox box[32];
  TreeItem item[32];
  int index[32];
  PairCandidate waiting[WAITING];  // candidates that are not yet in the global list
  // State of the descent in the tree, for each level. base: index of the first group that the warp visits on this
  // level. left: bit k is 1 if group base + k remains to be visited.
  int base[TREE_LEVELS];
  unsigned left[TREE_LEVELS];
} Capacity;

// The query of a lane: an edge or a vertex whose pairs are searched. If it is a vertex, both elements of `node` are the
// vertex's node.
typedef struct Query {
  // index: index of the query in its CudaTree. number: index of the query in the skin's list of edges or vertices.
  // leaf: number of the leaf that contains the query in the host's tree (TreeItem); edges are ordered by leaf.
  int index, number, leaf, node[2];
  SweptBox box;
} Query;

// Appends the `waiting` candidates in a warp's shared memory to the list of all candidates, c.candidate. A candidate is
// a pair of primitives with near boxes. Candidates beyond the list's capacity are counted but not stored.
static __device__ __forceinline__ void pass_on(const ContactCuda &c, const Capacity *capacity, int waiting) {
  const int lane = threadIdx.x % 32;
  unsigned long long first = 0;
  const unsigned long long maximum = (unsigned long long)c.candidate_capacity;
  if (lane == 0) first = atomicAdd(&c.found_count->candidates, (unsigned long long)waiting);
  first = __shfl_sync(ALL, first, 0);
  for (int k = lane; k < waiting && first + k < maximum; k += 32) c.candidate[first + k] = capacity->waiting[k];
  __syncwarp();
}

// Tests the warp's queries (primitives whose pairs are searched) against the items of a group. Appends each candidate,
// a query and an item with near boxes, to capacity->waiting. `waiting` is the number of candidates stored there before;
// the function returns the number after. If the new candidates do not fit, it first moves the stored ones to
// c.candidate.
template <bool EDGES>
static __device__ __forceinline__ int hold_against(const ContactCuda &c, const CudaTree &tree, const BoxGroup &group,
                                                   const Query &mine, const SweptBox &whole, float near,
                                                   Capacity *capacity, int waiting) {
  const int lane = threadIdx.x % 32;
  bool overlaps = false;
  SweptBox box;
  if (lane < group.count) {
    box = tree.swept[group.first + lane];
    overlaps = overlap(whole, box, near);
  }

  // Store the items whose boxes are near `whole`, the box around all queries.
  const unsigned all = __ballot_sync(ALL, overlaps);
  if (overlaps) {
    const int at = __popc(all & ((1u << lane) - 1));
    capacity->box[at] = box;
    capacity->item[at] = tree.item[group.first + lane];
    capacity->index[at] = group.first + lane;
  }

  __syncwarp();

  // SLICES lanes work on a query, and each tests every SLICES-th of the stored items.
  unsigned hits = 0;
  for (int k = lane / QUERIES; k < __popc(all); k += SLICES) {
    const TreeItem item = capacity->item[k];
    const int *o = item.node;

    // An edge is tested only against later edges of the tree, so that each pair is found once. Primitives with a common
    // node form no pair.
    const bool after = !EDGES || o[2] > mine.leaf || (o[2] == mine.leaf && item.number > mine.number);
    const bool apart = mine.node[0] != o[0] && mine.node[0] != o[1] &&
                       (EDGES ? mine.node[1] != o[0] && mine.node[1] != o[1] : mine.node[0] != o[2]);

    // A lane without a query is left out by its index -1. Its box is empty, but a test with infinite `near` would
    // accept even an empty box.
    if (mine.index >= 0 && after && apart && overlap(mine.box, capacity->box[k], near)) hits |= 1u << k;
  }

  int end = __popc(hits);  // inclusive prefix sum over the lanes: new candidates of this lane and of the lanes before
                           // it
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(ALL, end, step);
    if (lane >= step) end += before;
  }
  const int more = __shfl_sync(ALL, end, 31);
  if (waiting + more > WAITING) {
    pass_on(c, capacity, waiting);
    waiting = 0;
  }
  int at = waiting + end - __popc(hits);
  for (unsigned left = hits; left; left &= left - 1)
    capacity->waiting[at++] = PairCandidate{ EDGES ? mine.index : ~mine.index, capacity->index[__ffs(left) - 1] };
  __syncwarp();
  return waiting + more;
}

// One warp searches for the pairs of up to QUERIES queries, which are edges or vertices. It finds candidates: pairs
// whose boxes may come near each other. The queries are members of group `number` in their tree, beginning with member
// part * QUERIES.
template <bool EDGES>
static __device__ __forceinline__ void search_group(const ContactCuda &c, int number, int part, double reach,
                                                    Capacity *capacity) {
  static_assert(QUERIES * 32 <= WAITING, "the candidates of a whole group must fit into the waiting list");
  const CudaTree &own = EDGES ? c.edges : c.vertices, &tree = EDGES ? c.edges : c.triangles;
  const int lane = threadIdx.x % 32, top = tree.level_count - 1;
  const float near = (float)(1.000001 * (reach + 2 * c.slack));
  const BoxGroup queries = own.group[number];
  if (part * QUERIES >= queries.count) return;
  const int first_query = queries.first + part * QUERIES, index = first_query + lane % QUERIES;
  Query mine = { -1, -1, -1, { -1, -1 }, no_box() };

  // No pairs are searched for an edge of an obstacle. Edges that come later in the tree belong to obstacles too, and
  // two obstacles form no pair.
  const bool asks = index < queries.first + queries.count && (!EDGES || own.item[index].node[0] < c.body_nodes);
  if (!__any_sync(ALL, asks)) return;
  if (asks) {
    const TreeItem item = own.item[index];
    mine.index = index;
    mine.number = item.number;
    mine.leaf = item.node[2];
    mine.node[0] = item.node[0];
    mine.node[1] = EDGES ? item.node[1] : item.node[0];
    mine.box = EDGES ? tree.swept[index] : swept<1>(c, mine.node);
  }

  const SweptBox whole = around_lanes(mine.box);
  const int begin = first_query - BOX_LEAF + 1;  // the first query's leaf begins here or later: it has at most BOX_LEAF
                                                 // items
  int waiting = 0;

  // The search is depth first, so items come in the tree's order. open(level, first, count) begins the visit of `count`
  // groups of a level, from number `first` on: it sets a bit in capacity->left[level] for each group whose box may come
  // near `whole`, the box around all queries.
  const auto open = [&](int level, int first, int count) {
    bool overlaps = false;
    if (lane < count) {
      const int at = tree.level_start[level] + first + lane;
      overlaps = (!EDGES || tree.group[at].end > begin) && overlap(whole, tree.box[at], near);
    }
    const unsigned left = __ballot_sync(ALL, overlaps);
    __syncwarp();  // wait until all lanes have read the previous value of capacity->left, which is overwritten now
    if (lane == 0) {
      capacity->base[level] = tree.level_start[level] + first;
      capacity->left[level] = left;
    }
    __syncwarp();
  };
  const int tops = level_groups(tree, top);
  for (int first = 0; first < tops; first += 32) {
    int level = top;
    open(level, first, tops - first);
    for (;;) {
      const unsigned left = capacity->left[level];
      if (left == 0) {
        if (level == top) break;
        level++;
        continue;
      }
      const BoxGroup group = tree.group[capacity->base[level] + __ffs(left) - 1];
      __syncwarp();
      if (lane == 0) capacity->left[level] = left & (left - 1);
      __syncwarp();
      if (level > 0) {
        level--;
        open(level, group.first, group.count);
      } else
        waiting = hold_against<EDGES>(c, tree, group, mine, whole, near, capacity, waiting);
    }
  }
  if (waiting > 0) pass_on(c, capacity, waiting);
}

// Finds candidates for pairs: primitives whose boxes may come near each other. Each warp processes a few edges or
// vertices, its queries. The first warps find edges near edges, the other warps triangles near vertices.
static __global__ void __launch_bounds__(BLOCK) query_kernel(ContactCuda c, double reach) {
  __shared__ Capacity rooms[WARPS];
  const int warp = blockIdx.x * WARPS + threadIdx.x / 32, number = warp / SLICES, edges = level_groups(c.edges, 0);
  if (number < edges)
    search_group<true>(c, number, warp % SLICES, reach, &rooms[threadIdx.x / 32]);
  else if (number - edges < level_groups(c.vertices, 0))
    search_group<false>(c, number - edges, warp % SLICES, reach, &rooms[threadIdx.x / 32]);
}

// Appends the pairs that the lanes of a warp have found to c.loose, the unsorted list of pairs. A query is a vertex or
// edge whose pairs are searched; vertices are numbered first, then edges. For each pair of query q, the function adds 1
// to c.offset[q]. All lanes must call it.
static __device__ __forceinline__ void add_loose(const ContactCuda &c, bool is_pair, const ContactPair &found,
                                                 LooseKey key) {
  const int lane = threadIdx.x % 32;
  const unsigned pairs = __ballot_sync(ALL, is_pair);
  if (pairs == 0) return;  // `pairs` is the same in all lanes, so the whole warp returns
  int at = 0;
  if (lane == 0) at = atomicAdd(&c.found_count->pairs, __popc(pairs));
  at = __shfl_sync(ALL, at, 0) + __popc(pairs & ((1u << lane) - 1));
  if (!is_pair) return;
  key.index = atomicAdd(&c.offset[key.query], 1);
  if (at < c.pair_capacity) {
    c.loose[at] = found;
    c.loose_key[at] = key;
  }
}

// Tests candidates exactly, and stores those that may touch as pairs. A candidate consists of two primitives whose
// boxes are near each other.
static __global__ void __launch_bounds__(BLOCK) candidate_kernel(ContactCuda c, double reach) {
  const int lane = threadIdx.x % 32,
            all = (int)min(c.found_count->candidates, (unsigned long long)c.candidate_capacity);
  const SkinNodes nodes = { c.X, c.factor, c.component, c.body_nodes, c.active_nodes };
  for (int first = blockIdx.x * BLOCK + threadIdx.x - lane; first < all; first += gridDim.x * BLOCK) {
    ContactPair found;
    LooseKey key;
    bool is_pair = false;
    if (first + lane < all) {
      const PairCandidate k = c.candidate[first + lane];
      const bool edges = k.query >= 0;
      const TreeItem own = edges ? c.edges.item[k.query] : c.vertices.item[~k.query];
      const TreeItem other = edges ? c.edges.item[k.item] : c.triangles.item[k.item];
      const int node[4] = { own.node[0], edges ? own.node[1] : other.node[0], other.node[edges ? 0 : 1],
                            other.node[edges ? 1 : 2] };
      const double area = edges ? (c.edge_area[own.number] + c.edge_area[other.number]) / 4 : c.vertex_area[own.number];
      key.query = edges ? c.vertex_count + own.number : own.number;
      key.item = k.item;
      is_pair = pair_candidate(&nodes, c.from, c.list_path, node, edges ? PAIR_EDGES : PAIR_POINT_TRIANGLE, area, reach,
                               c.slack, &found);
    }
    add_loose(c, is_pair, found, key);
  }
}

// Tests each vertex of the body against each half space, and stores the pairs that may touch. In the list of pairs, a
// vertex's pairs with half spaces come after its pairs with triangles.
static __global__ void __launch_bounds__(BLOCK) plane_kernel(ContactCuda c, double reach) {
  const int lane = threadIdx.x % 32, all = c.body_vertices * c.active_planes;
  const SkinNodes nodes = { c.X, c.factor, c.component, c.body_nodes, c.active_nodes };
  for (int first = blockIdx.x * BLOCK + threadIdx.x - lane; first < all; first += gridDim.x * BLOCK) {
    ContactPair found;
    LooseKey key;
    bool is_pair = false;
    if (first + lane < all) {
      const int v = (first + lane) % c.body_vertices, k = (first + lane) / c.body_vertices, plane = c.plane[k];
      const int node[4] = { c.vertex[v], plane, plane + 1, plane + 2 };
      key.query = v;
      key.item = c.triangles.item_count + k;
      is_pair =
          pair_candidate(&nodes, c.from, c.list_path, node, PAIR_POINT_PLANE, c.vertex_area[v], reach, c.slack, &found);
    }
    add_loose(c, is_pair, found, key);
  }
}

// A pair has a query, the primitive whose pairs were searched, and an item, the primitive that was found. For each
// found pair, writes the index of its item to c.unsorted. The items of one query are stored together, in any order.
static __global__ void __launch_bounds__(BLOCK) number_kernel(ContactCuda c) {
  const int count = pairs_found(c);
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
    const LooseKey key = c.loose_key[k];
    c.unsorted[c.offset[key.query] + key.index] = key.item;
  }
}

// Returns how many of the elements list[first] to list[last - 1] are less than `than`.
static __device__ __forceinline__ int count_less(const int *list, int first, int last, int than) {
  int count = 0;
  for (int k = first; k < last; k++) count += list[k] < than;
  return count;
}

// Copies the found pairs from c.loose to c.pair, sorted by query (the vertex or edge whose pairs were searched), then
// by the other primitive. For each node j of a pair that is on a body, it increments the counter list.start[v] of the
// node's vertex v. The old value of the counter is stored in entry_index[4 * pair + j]. Nodes of obstacles get -1
// there, since forces on them are not needed.
static __global__ void __launch_bounds__(BLOCK) put_kernel(ContactCuda c) {
  const int count = pairs_found(c);
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
    const LooseKey key = c.loose_key[k];
    const ContactPair pair = c.loose[k];
    const int first = c.offset[key.query];
    const int at = first + count_less(c.unsorted, first, c.offset[key.query + 1], key.item);
    c.pair[at] = pair;
#pragma unroll
    for (int j = 0; j < 4; j++)
      c.entry_index[4 * at + j] =
          pair.node[j] < c.body_nodes ? atomicAdd(&c.list.start[c.vertex_of[pair.node[j]]], 1) : -1;
  }
}

// For each pair, and each of its nodes j that is on a body, writes the entry 4 * pair + j to c.unsorted. The entries of
// one vertex are stored together, in any order.
static __global__ void __launch_bounds__(BLOCK) entry_kernel(ContactCuda c) {
  const int count = 4 * pairs_found(c);
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK)
    if (c.entry_index[k] >= 0) c.unsorted[c.list.start[c.vertex_of[c.pair[k / 4].node[k % 4]]] + c.entry_index[k]] = k;
}

// Sorts lists of pairs at vertices (nodes of the surface). If a vertex is node j of pair k, its list has the entry 4 *
// k + j. c.unsorted contains the lists of all vertices with their entries in any order. The kernel stores the lists in
// c.list.entry, each in ascending order.
static __global__ void __launch_bounds__(BLOCK) sort_entries_kernel(ContactCuda c) {
  const int count = 4 * pairs_found(c);
  for (int k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
    if (c.entry_index[k] < 0) continue;
    const int v = c.vertex_of[c.pair[k / 4].node[k % 4]], first = c.list.start[v];
    const int at = first + count_less(c.unsorted, first, c.list.start[v + 1], k);
    c.list.entry[at] = k;
    c.entry_index[k] = at;
  }
}

extern "C" bool contact_cuda_renew(void **items, int64_t count, size_t size, Error *error) {
  device_free(DEVICE_CUDA, *items);
  *items = device_alloc(DEVICE_CUDA, (size_t)count * size, error);
  return *items || error_prefix(error, "contact");
}

// If the arrays that have elements for each contact pair have a capacity of less than `pairs` pairs, enlarges them to a
// capacity of 1.5 * pairs + 256 pairs.
static bool reserve(ContactCuda *c, int pairs, Error *error) {
  if (pairs <= c->pair_capacity) return true;
  const int64_t capacity = (int64_t)pairs + pairs / 2 + 256;
  if (4 * capacity > INT32_MAX)
    return error_set(error,
                     "contact: %d pairs of surface parts are near each other, more than 32-bit indices can number; use "
                     "a smaller contact_distance",
                     pairs);
  const struct {
    void **at;
    int64_t count;
    size_t size;
  } arrays[] = {
    { (void **)&c->pair, capacity, sizeof *c->pair },
    { (void **)&c->loose, capacity, sizeof *c->loose },
    { (void **)&c->loose_key, capacity, sizeof *c->loose_key },
    { (void **)&c->list.entry, 4 * capacity, sizeof *c->list.entry },
    { (void **)&c->unsorted, 4 * capacity, sizeof *c->unsorted },
    { (void **)&c->touch, capacity, sizeof *c->touch },
    { (void **)&c->entry_index, 4 * capacity, sizeof *c->entry_index },
    { (void **)&c->touches, 4 * capacity, sizeof *c->touches },
    { (void **)&c->tangent, capacity, sizeof *c->tangent },
    { (void **)&c->in_tangent, 4 * capacity, sizeof *c->in_tangent },
    { (void **)&c->led, capacity, sizeof *c->led },
    { (void **)&c->entries, 4 * capacity, sizeof *c->entries },
  };
  c->pair_capacity = 0;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (!contact_cuda_renew(arrays[k].at, arrays[k].count, arrays[k].size, error)) return false;
  c->pair_capacity = (int)capacity;
  return true;
}

// If the array of candidates has fewer than `count` elements, enlarges it to 1.5 * count elements.
static bool reserve_candidates(ContactCuda *c, unsigned long long count, Error *error) {
  if (count <= (unsigned long long)c->candidate_capacity) return true;
  if (count > INT32_MAX / 3 * 2)
    return error_set(error,
                     "contact: %llu pairs of surface parts must be tested, more than 32-bit indices can number; use a "
                     "smaller contact_distance",
                     count);
  const int64_t capacity = (int64_t)(count + count / 2);
  c->candidate_capacity = 0;
  if (!contact_cuda_renew((void **)&c->candidate, capacity, sizeof *c->candidate, error)) return false;
  c->candidate_capacity = (int)capacity;
  return true;
}

extern "C" bool nearby_cuda_add_up(const ContactCuda *c, int *number, int count, Stream stream, Error *error) {
  return device_add_up(c->scan, c->scan_bytes, true, number, number, count, stream, error);
}

extern "C" bool nearby_cuda_search(const ContactCuda *c, const double (*displacement)[3], double scale,
                                   const double *fraction, Stream stream, Error *error) {
  enum { TURNS = 8 };  // number of thread blocks that are launched for each multiprocessor of the GPU
  const cudaStream_t s = (cudaStream_t)stream.handle;
  const double reach = c->host->nearby.reach;
  const int queries = c->vertex_count + c->edge_count, blocks = TURNS * device_multiprocessors(DEVICE_CUDA);
  take_kernel<<<blocks_for(c->vertex_count), BLOCK, 0, s>>>(*c, displacement, scale, fraction);
  for (int level = 0; level < c->triangles.level_count || level < c->edges.level_count; level++) {
    const int groups = blocks_for(32 * ((int64_t)level_groups(c->triangles, level) + level_groups(c->edges, level)));
    if (level == 0)
      fit_items_kernel<<<groups, BLOCK, 0, s>>>(*c);
    else
      fit_groups_kernel<<<groups, BLOCK, 0, s>>>(*c, level);
  }

  // The arrays c->offset and c->list.start have one more element at the end, which is 0 here. Prefix sums later turn
  // this element into the total number of pairs, or of entries.
  if (!device_zero(stream, c->offset, sizeof *c->offset * ((size_t)queries + 1), error) ||
      !device_zero(stream, c->list.start, sizeof *c->list.start * ((size_t)c->vertex_count + 1), error) ||
      !device_zero(stream, c->found_count, sizeof *c->found_count, error))
    return false;
  const int64_t groups = level_groups(c->edges, 0) + (int64_t)level_groups(c->vertices, 0);
  query_kernel<<<blocks_for(32 * SLICES * groups), BLOCK, 0, s>>>(*c, reach);
  candidate_kernel<<<blocks, BLOCK, 0, s>>>(*c, reach);
  if (c->active_planes > 0) plane_kernel<<<blocks, BLOCK, 0, s>>>(*c, reach);
  CUDA_TRY(cudaGetLastError());
  if (!nearby_cuda_add_up(c, c->offset, queries + 1, stream, error)) return false;
  number_kernel<<<blocks, BLOCK, 0, s>>>(*c);
  put_kernel<<<blocks, BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  if (!nearby_cuda_add_up(c, c->list.start, c->vertex_count + 1, stream, error)) return false;
  entry_kernel<<<blocks, BLOCK, 0, s>>>(*c);
  sort_entries_kernel<<<blocks, BLOCK, 0, s>>>(*c);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool nearby_cuda_queue(ContactCuda *c, const double (*displacement)[3], double scale, Stream stream,
                                  Error *error) {
  c->found = false;
  if (!nearby_cuda_search(c, displacement, scale, NULL, stream, error)) return false;
  c->found = true;
  return device_download(stream, c->found_host, c->found_count, sizeof *c->found_host, error);
}

extern "C" bool nearby_cuda_received(ContactCuda *c, bool *all, Error *error) {
  const FoundCount found = *c->found_host;
  *all = has_capacity(*c, found);
  c->found = *all;
  c->pair_count = *all ? found.pairs : 0;
  c->searches += *all;
  // If the array of candidates was too small, the search has not found all pairs. So the arrays of pairs may have to be
  // enlarged once more after the repeated search.
  return *all || (reserve_candidates(c, found.candidates, error) && reserve(c, found.pairs, error));
}

extern "C" bool contact_cuda_find(ContactCuda *c, const double (*displacement)[3], double scale, Stream stream,
                                  Error *error) {
  const double began = timer_seconds();
  for (bool all = false; !all;)
    if (!nearby_cuda_queue(c, displacement, scale, stream, error) || !stream_sync(stream, error) ||
        !nearby_cuda_received(c, &all, error))
      return false;
  c->search_s += timer_seconds() - began;
  return true;
}

extern "C" bool nearby_cuda_create(ContactCuda *c, Error *error) {
  const int queries = c->vertex_count + c->edge_count;
  if (!cuda_trees_create(c, error)) return false;
  if (!device_add_up_bytes(queries + 1, &c->scan_bytes, error)) return false;
  if (!(c->search_host = (SearchReport *)device_alloc_pinned(DEVICE_CUDA, sizeof *c->search_host, error))) return false;
  *c->search_host = {};
  if (!(c->scan = device_alloc(DEVICE_CUDA, c->scan_bytes, error))) return false;
  if (!(c->found_count = (FoundCount *)device_alloc(DEVICE_CUDA, sizeof *c->found_count, error))) return false;
  if (!(c->found_host = (FoundCount *)device_alloc_pinned(DEVICE_CUDA, sizeof *c->found_host, error))) return false;
  if (!(c->list_slack = (double *)device_alloc(DEVICE_CUDA, sizeof *c->list_slack, error))) return false;
  if (!reserve_candidates(c, CONTACT_CANDIDATES * (unsigned long long)queries, error)) return false;
  return reserve(c, 1, error);
}

extern "C" void nearby_cuda_destroy(ContactCuda *c) {
  cuda_trees_destroy(c);
  void *arrays[] = { c->scan,  c->unsorted,  c->pair,      c->list.entry,  c->entry_index,
                     c->loose, c->loose_key, c->candidate, c->found_count, c->list_slack };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  device_free_pinned(DEVICE_CUDA, c->found_host);
  device_free_pinned(DEVICE_CUDA, c->search_host);
}

}  // namespace nearby
