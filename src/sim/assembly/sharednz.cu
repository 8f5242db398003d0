// Assembly `sharednz`: by non-zero entries through shared memory (paper 000, section 16.3.2, Fig. 16.7). One kernel. A
// block owns the nodes of one part (partition.h) and all entries of their rows, and evaluates every tet that touches
// them, so tets between parts are evaluated by each.
//   scatter    the nodes of E_k are read once each and copied to the records of their tets, by the scatter array
//   evaluate   a thread evaluates a tet; its element data overwrite its nodal data in its record
//   reduce     lists of node pairs, and beside them of nodes (node_pairs.h), add the records up and store the sums
// Nothing but nodal data, supplemental data, indices and the system itself touches global memory. A pair with both
// nodes in the part is summed once and stored twice; one with a node outside is stored in the part's own rows only.
#include <math_constants.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"
#include "device/cuda_try.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/node_pairs.h"
#include "sim/assembly/packed_lists.cuh"
#include "sim/assembly/partition.h"
#include "sim/element/element.h"

#ifndef SHAREDNZ_RESIDENT
#define SHAREDNZ_RESIDENT 2
#endif
#ifndef SHAREDNZ_THREADS
#define SHAREDNZ_THREADS 320
#endif

static constexpr int larger(int a, int b) {
  return a > b ? a : b;
}

enum {
  RESIDENT = SHAREDNZ_RESIDENT,  // blocks at once on a multiprocessor: one evaluates while another reduces
  THREADS = SHAREDNZ_THREADS,
  NODAL = ELEMENT_NODES * ELEMENT_NODE_DATA,
  PAIR_VALUES = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF,
  // a tet's record: nodal data, then in their place matrix and vector, or the vector alone; odd, for the banks
  RECORD = larger(ELEMENT_MATRIX + ELEMENT_DOF, NODAL) | 1,
  VECTOR_RECORD = larger(ELEMENT_DOF, NODAL) | 1,
  // threads of the two reductions, which run side by side; a worker has a thread for each row of a block
  NODE_THREADS = THREADS * 3 / 10 / 32 * 32,
  NODE_WORKERS = NODE_THREADS / ELEMENT_NODE_DOF,
  PAIR_WORKERS = (THREADS - NODE_THREADS) / ELEMENT_NODE_DOF,
  SCATTER_ITEMS = 6,  // a node that more tets need is read by several threads
  PAIRS = ELEMENT_NODES * ELEMENT_NODES
};

// Arrays on the device.
typedef struct Data {
  int part_count, tets_most;
  int *tet_start;               // [part_count + 1], tets of the parts
  real *supplemental;           // by parts, [ELEMENT_SUPPLEMENTAL][tets of the part]
  int *read_start, *read_node;  // [part_count + 1], the node of each list of the scatter array
  int *own_start, *own_node;    // [part_count + 1], nodes of the part
  int *pair_start;              // [part_count + 1], pairs of the part
  PairPlaces *pair_place;       // of the parts' pairs; back is not stored where the other node is another part's
  BlockPlace *node_place;       // of own_node
  bool diagonal_first;
  ListsDev scatter, pairs, nodes;  // heads count within read_node, the part's pairs, own_node
} Data;

// The scatter array's walk: each thread has a column, in batches of one list: loads the list's node once and copies it
// to the list's items.
template <int STRIDE>
static __device__ __forceinline__ void scatter(const ListsDev &lists, int block, const int *__restrict__ node,
                                               const real *__restrict__ data, real *records) {
  const int *__restrict__ column = lists.entries + lists.start[block] + threadIdx.x;
  const int depth = (int)(lists.start[block + 1] - lists.start[block]) / THREADS;
  for (int at = 0; at < depth; at += 1 + SCATTER_ITEMS) {
    int item[SCATTER_ITEMS];
    real value[ELEMENT_NODE_DATA];
    const int head = column[at * THREADS];
#pragma unroll
    for (int b = 0; b < SCATTER_ITEMS; b++) item[b] = column[(at + 1 + b) * THREADS];
    if (head == 0) break;
    const real *from = data + node[-head - 1] * ELEMENT_NODE_DATA;
#pragma unroll
    for (int i = 0; i < ELEMENT_NODE_DATA; i++) value[i] = from[i];
#pragma unroll
    for (int b = 0; b < SCATTER_ITEMS; b++) {
      const unsigned to = item[b] - 1;
      real *record = records + to / ELEMENT_NODES * STRIDE + to % ELEMENT_NODES * ELEMENT_NODE_DATA;
      if (item[b] > 0)
#pragma unroll
        for (int i = 0; i < ELEMENT_NODE_DATA; i++) record[i] = value[i];
    }
  }
}

// nodal data [nodes][ELEMENT_NODE_DATA] -> F [n], matrix values, min_J [part_count]
template <bool WITH_MATRIX>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    part_kernel(Data d, const real *__restrict__ data, ElementParameters parameters, real *__restrict__ F,
                real *__restrict__ matrix, real *__restrict__ min_J) {
  extern __shared__ double room[];
  __shared__ uint32_t place[PAIRS * ELEMENT_NODE_DOF];  // a byte for each value of a row: where in an element matrix
  __shared__ real warp_min[THREADS / 32];
  static_assert(ELEMENT_NODE_DOF <= 4 && ELEMENT_MATRIX <= 256, "a row's places fit four bytes");
  real *records = (real *)room;
  const int part = blockIdx.x, thread = threadIdx.x;
  const int first = d.tet_start[part], tets = d.tet_start[part + 1] - first;
  enum { STRIDE = WITH_MATRIX ? (int)RECORD : (int)VECTOR_RECORD, VECTOR = WITH_MATRIX ? (int)ELEMENT_MATRIX : 0 };

  if (WITH_MATRIX && thread < PAIRS * ELEMENT_NODE_DOF) {
    const int pair = thread / ELEMENT_NODE_DOF,
              row = pair / ELEMENT_NODES * ELEMENT_NODE_DOF + thread % ELEMENT_NODE_DOF;
    uint32_t bytes = 0;
    for (int k = 0; k < ELEMENT_NODE_DOF; k++)
      bytes |= (uint32_t)symmetric_index(ELEMENT_DOF, row, pair % ELEMENT_NODES * ELEMENT_NODE_DOF + k) << 8 * k;
    place[thread] = bytes;
  }
  scatter<STRIDE>(d.scatter, part, d.read_node + d.read_start[part], data, records);
  __syncthreads();

  real low = CUDART_INF_F;
  for (int e = thread; e < tets; e += THREADS) {
    real data_e[NODAL], S[ELEMENT_SUPPLEMENTAL_ROOM], F_e[ELEMENT_DOF], *record = records + e * STRIDE;
    const real *s = d.supplemental + (size_t)first * ELEMENT_SUPPLEMENTAL + e;
#pragma unroll
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) S[k] = s[k * tets];
#pragma unroll
    for (int k = 0; k < NODAL; k++) data_e[k] = record[k];
    const real J = element_evaluate(data_e, S, &parameters, F_e, WITH_MATRIX ? record : NULL);
#pragma unroll
    for (int k = 0; k < ELEMENT_DOF; k++) record[VECTOR + k] = F_e[k];
    low = min(low, J == J ? J : -CUDART_INF_F);
  }
  for (int step = 16; step > 0; step /= 2) low = min(low, __shfl_xor_sync(0xffffffff, low, step));
  if (thread % 32 == 0) warp_min[thread / 32] = low;
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < THREADS / 32; w++) low = min(low, warp_min[w]);
    min_J[part] = low;
  }

  // warps for the nodes first, the others for the pairs
  const bool for_nodes = thread < NODE_THREADS;
  const int lane = for_nodes ? thread : thread - NODE_THREADS, worker = lane / ELEMENT_NODE_DOF,
            row = lane % ELEMENT_NODE_DOF;
  if (for_nodes ? worker >= NODE_WORKERS : !WITH_MATRIX || worker >= PAIR_WORKERS) return;
  if (for_nodes) {
    enum { VALUES = WITH_MATRIX ? 1 + ELEMENT_NODE_DOF : 1 };
    const int own = d.own_start[part];
    const int *__restrict__ node = d.own_node + own;
    const BlockPlace *__restrict__ own_place = d.node_place + own;
    const bool diagonal_first = d.diagonal_first;
    reduce<VALUES>(
        d.nodes, part, NODE_WORKERS, worker,
        [=](unsigned source, real *value) {
          const unsigned a = source % ELEMENT_NODES;
          const real *record = records + source / ELEMENT_NODES * STRIDE;
          value[0] = record[VECTOR + a * ELEMENT_NODE_DOF + row];
          if (WITH_MATRIX) {
            const uint32_t bytes = place[a * (ELEMENT_NODES + 1) * ELEMENT_NODE_DOF + row];
#pragma unroll
            for (int k = 0; k < ELEMENT_NODE_DOF; k++) value[1 + k] = record[bytes >> 8 * k & 255];
          }
        },
        [=](int target) {
          NodePlace to;
          to.node = node[target];
          if (WITH_MATRIX) to.own = own_place[target];
          return to;
        },
        [=](const NodePlace &to, const real *sum) {
          F[to.node * ELEMENT_NODE_DOF + row] = sum[0];
          if (WITH_MATRIX)
#pragma unroll
            for (int k = 0; k < ELEMENT_NODE_DOF; k++)
              matrix[own_block_slot(to.own, diagonal_first, ELEMENT_NODE_DOF, to.node, row, k)] = sum[1 + k];
        });
    return;
  }
  const PairPlaces *__restrict__ places = d.pair_place + d.pair_start[part];
  reduce<ELEMENT_NODE_DOF>(
      d.pairs, part, PAIR_WORKERS, worker,
      [=](unsigned source, real *value) {
        const real *record = records + source / PAIRS * RECORD;
        const uint32_t bytes = place[source % PAIRS * ELEMENT_NODE_DOF + row];
#pragma unroll
        for (int k = 0; k < ELEMENT_NODE_DOF; k++) value[k] = record[bytes >> 8 * k & 255];
      },
      [=](int target) { return load_places(places, target); },
      [=](const PairPlaces &to, const real *sum) { store_row<ELEMENT_NODE_DOF>(to, row, sum, matrix); });
}

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  void *arrays[] = { d->tet_start, d->supplemental, d->read_start, d->read_node, d->own_start,
                     d->own_node,  d->pair_start,   d->pair_place, d->node_place };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free_lists(&d->scatter);
  free_lists(&d->pairs);
  free_lists(&d->nodes);
  free(d);
}

// Lists as they grow: items of a list that is being filled, in any order of lists, then sorted by list.
struct Lists {
  std::vector<int> block_list = { 0 };
  std::vector<int64_t> item_start = { 0 };
  std::vector<int> item;

  // one block's lists: `count` of them, and their items as (list, item) pairs in the order of summation
  void add_block(int count, const std::vector<int> &list_of, const std::vector<int> &items) {
    const size_t first = item_start.size() - 1;
    item_start.resize(first + count + 1, 0);
    for (int list : list_of) item_start[first + list + 1]++;
    for (int l = 0; l < count; l++) item_start[first + l + 1] += item_start[first + l];
    std::vector<int64_t> fill(item_start.begin() + first, item_start.end() - 1);
    item.resize((size_t)item_start.back());
    for (size_t k = 0; k < items.size(); k++) item[(size_t)fill[list_of[k]]++] = items[k];
    block_list.push_back((int)(first + count));
  }

  void append(const Lists &more) {
    const int lists = (int)item_start.size() - 1;
    const int64_t items = item_start.back();
    for (size_t k = 1; k < more.block_list.size(); k++) block_list.push_back(lists + more.block_list[k]);
    for (size_t k = 1; k < more.item_start.size(); k++) item_start.push_back(items + more.item_start[k]);
    item.insert(item.end(), more.item.begin(), more.item.end());
  }
};

// appends where lists begin, behind the one that exists, which ends at starts.back()
static void append_starts(std::vector<int> *starts, const std::vector<int> &more) {
  const int before = starts->back();
  for (size_t k = 1; k < more.size(); k++) starts->push_back(before + more[k]);
}

template <typename Value>
static void append_values(std::vector<Value> *values, const std::vector<Value> &more) {
  values->insert(values->end(), more.begin(), more.end());
}

// Everything of some parts; of all of them, it is put on the device.
struct Parts {
  std::vector<int> read_start = { 0 }, read_node, pair_start = { 0 };
  std::vector<PairPlaces> pair_place;
  std::vector<BlockPlace> node_place;
  int64_t reads = 0;  // nodes that parts read, each once
  std::vector<real> supplemental;
  Lists scatter, pairs, nodes;
  // of a node in the part at hand: the list of the scatter array that is being filled and its items, -1 for none; and
  // the number among the part's own nodes, or -1
  std::vector<int> read_list, read_items, own_number;

  explicit Parts(size_t nodes) : read_list(nodes, -1), read_items(nodes, 0), own_number(nodes, -1) {
  }

  void append(const Parts &more) {
    append_starts(&read_start, more.read_start);
    append_starts(&pair_start, more.pair_start);
    append_values(&read_node, more.read_node);
    append_values(&pair_place, more.pair_place);
    append_values(&node_place, more.node_place);
    append_values(&supplemental, more.supplemental);
    reads += more.reads;
    scatter.append(more.scatter);
    pairs.append(more.pairs);
    nodes.append(more.nodes);
  }
};

static void add_part(Parts *all, const Space *space, const Operator *layout, const uint16_t *offset, const Partition *p,
                     int part) {
  const Adjacency *graph = &space->graph;
  const int *tet = p->tet + p->tet_start[part], tets = p->tet_start[part + 1] - p->tet_start[part];
  const int *own = p->node + p->node_start[part], owned = p->node_start[part + 1] - p->node_start[part];
  std::vector<int> head, item;
  for (int k = 0; k < owned; k++) all->own_number[own[k]] = k;

  // nodal and supplemental data
  const size_t reads_before = all->read_node.size(), supplemental_before = all->supplemental.size();
  all->supplemental.resize(supplemental_before + (size_t)tets * ELEMENT_SUPPLEMENTAL);
  for (int e = 0; e < tets; e++) {
    real S[ELEMENT_SUPPLEMENTAL_ROOM];
    element_supplemental(space, tet[e], S);
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) all->supplemental[supplemental_before + (size_t)k * tets + e] = S[k];
    for (int a = 0; a < ELEMENT_NODES; a++) {
      const int node = space_cell(space, tet[e])[a];
      all->reads += all->read_list[node] < 0;
      if (all->read_list[node] < 0 || all->read_items[node] == SCATTER_ITEMS) {
        all->read_list[node] = (int)(all->read_node.size() - reads_before);
        all->read_items[node] = 0;
        all->read_node.push_back(node);
      }
      all->read_items[node]++;
      head.push_back(all->read_list[node]);
      item.push_back(ELEMENT_NODES * e + a);
    }
  }
  all->scatter.add_block((int)(all->read_node.size() - reads_before), head, item);
  all->read_start.push_back((int)all->read_node.size());

  // lists of pairs: those of an own node with later own nodes and with nodes of other parts
  std::vector<int> list_at((size_t)owned + 1, 0);  // where the neighbours of each own node begin in `list`
  for (int k = 0; k < owned; k++) list_at[k + 1] = list_at[k] + (int)(graph->start[own[k] + 1] - graph->start[own[k]]);
  std::vector<int> list((size_t)list_at[owned], -1);
  int count = 0;
  for (int k = 0; k < owned; k++) {
    const int64_t first = graph->start[own[k]];
    all->node_place.push_back(operator_place(layout, adjacency_find(graph, own[k], own[k])));
    for (int position = 0; position < list_at[k + 1] - list_at[k]; position++) {
      const int other = graph->neighbour[first + position];
      const bool inside = all->own_number[other] >= 0;
      if (inside && other <= own[k]) continue;
      list[list_at[k] + position] = count++;
      const BlockPlace none = { -1, 0, 0 };
      const PairPlaces places = { operator_place(layout, first + position),
                                  inside ? operator_place(layout, adjacency_find(graph, other, own[k])) : none };
      all->pair_place.push_back(places);
    }
  }
  head.clear(), item.clear();
  std::vector<int> node_head, node_item;
  for (int e = 0; e < tets; e++)
    for (int a = 0; a < ELEMENT_NODES; a++) {
      const int k = all->own_number[space_cell(space, tet[e])[a]];
      if (k < 0) continue;
      node_head.push_back(k);
      node_item.push_back(node_source(ELEMENT_NODES, e, a));
      for (int b = 0; b < ELEMENT_NODES; b++) {
        const int l = list[list_at[k] + offset[((size_t)tet[e] * ELEMENT_NODES + a) * ELEMENT_NODES + b]];
        if (l < 0) continue;
        head.push_back(l);
        item.push_back(pair_source(ELEMENT_NODES, e, a, b));
      }
    }
  all->pairs.add_block(count, head, item);
  all->nodes.add_block(owned, node_head, node_item);
  all->pair_start.push_back(all->pair_start.back() + count);

  for (int k = 0; k < owned; k++) all->own_number[own[k]] = -1;
  for (size_t k = reads_before; k < all->read_node.size(); k++) all->read_list[all->read_node[k]] = -1;
}

enum { RUNS = 16 };

// What the runs work on.
struct RunsTask {
  const Space *space;
  const Operator *layout;
  const uint16_t *offset;
  const Partition *p;
  std::vector<Parts> *run;
};

static void add_runs(const void *task, int begin, int end_run) {
  const RunsTask *t = (const RunsTask *)task;
  for (int r = begin; r < end_run; r++) {
    Parts own((size_t)t->space->node_count);
    const int count = t->p->part_count;
    const int first = (int)((int64_t)count * r / RUNS), end = (int)((int64_t)count * (r + 1) / RUNS);
    for (int part = first; part < end; part++) add_part(&own, t->space, t->layout, t->offset, t->p, part);
    (*t->run)[(size_t)r] = std::move(own);
  }
}

// all parts, in runs side by side that are put together in their order: the same whatever the number of threads
static void add_parts(Parts *all, const Space *space, const Operator *layout, const uint16_t *offset,
                      const Partition *p) {
  std::vector<Parts> run;
  for (int r = 0; r < RUNS; r++) run.emplace_back(0);
  const RunsTask task = { space, layout, offset, p, &run };
  parallel_for(RUNS, 1, add_runs, &task);
  for (const Parts &one : run) all->append(one);
}

static bool put_range(int **dev, const int *host, size_t count, Error *error) {
  *dev = (int *)device_clone(DEVICE_CUDA, host, count * sizeof *host, error);
  return *dev != NULL;
}

static bool put_parts(Data *d, const Parts *all, const Partition *p, Error *error) {
  const size_t parts = (size_t)p->part_count;
  return put_range(&d->tet_start, p->tet_start, parts + 1, error) &&
         put_range(&d->own_start, p->node_start, parts + 1, error) &&
         put_range(&d->own_node, p->node, (size_t)p->node_start[parts], error) &&
         put(&d->supplemental, all->supplemental, error) && put(&d->read_start, all->read_start, error) &&
         put(&d->read_node, all->read_node, error) && put(&d->pair_start, all->pair_start, error) &&
         put(&d->pair_place, all->pair_place, error) && put(&d->node_place, all->node_place, error) &&
         put_lists(&d->scatter, all->scatter.block_list, all->scatter.item_start.data(), all->scatter.item.data(),
                   THREADS, SCATTER_ITEMS + 1, HEAD_FIRST, error) &&
         put_lists(&d->pairs, all->pairs.block_list, all->pairs.item_start.data(), all->pairs.item.data(), PAIR_WORKERS,
                   REDUCE_BATCH, HEAD_LAST, error) &&
         put_lists(&d->nodes, all->nodes.block_list, all->nodes.item_start.data(), all->nodes.item.data(), NODE_WORKERS,
                   REDUCE_BATCH, HEAD_LAST, error);
}

static int most_node_tets(const Space *space) {
  std::vector<int> count((size_t)space->node_count, 0);
  int most = 0;
  for (int e = 0; e < space->cell_count; e++)
    for (int a = 0; a < ELEMENT_NODES; a++) most = larger(most, ++count[space_cell(space, e)[a]]);
  return most;
}

// How many records a block may have: what lets RESIDENT blocks share a multiprocessor, or where the tets at a node need
// more than that, all that a block can get.
static bool budget(const Space *space, int *tets_most, Error *error) {
  int device = 0, whole = 0, block = 0, reserved = 0;
  cudaFuncAttributes kernel;
  CUDA_TRY(cudaGetDevice(&device));
  CUDA_TRY(cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  CUDA_TRY(cudaDeviceGetAttribute(&block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CUDA_TRY(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
  CUDA_TRY(cudaFuncGetAttributes(&kernel, part_kernel<true>));
  const int record = RECORD * (int)sizeof(real), own = (int)kernel.sharedSizeBytes;
  const int shared = (whole / RESIDENT - reserved - own) / record, alone = (block - own) / record;
  *tets_most = shared < alone && most_node_tets(space) <= shared ? shared : alone;
  CUDA_TRY(cudaFuncSetAttribute(part_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, *tets_most * record));
  CUDA_TRY(cudaFuncSetAttribute(part_kernel<false>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                *tets_most * VECTOR_RECORD * (int)sizeof(real)));
  return true;
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  Partition partition = {};
  int tets_fit = 0;
  if (!d || !budget(space, &tets_fit, error)) return false;
  uint16_t *offset = assembly_offsets(space, error);
  d->diagonal_first = assembly->layout->method->diagonal_first;
  bool ok = offset && partition_create(&partition, space, assembly->partitioner, tets_fit, error);
  if (ok) {
    Parts all(0);
    add_parts(&all, space, assembly->layout, offset, &partition);
    for (int part = 0; part < partition.part_count; part++)
      d->tets_most = larger(d->tets_most, partition.tet_start[part + 1] - partition.tet_start[part]);
    d->part_count = partition.part_count;
    assembly->parts = { d->part_count, partition.tet_start[d->part_count], all.reads, d->tets_most, tets_fit };
    assembly->min_J_count = d->part_count;
    assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)d->part_count, error);
    ok = assembly->min_J && put_parts(d, &all, &partition, error);
  }
  partition_destroy(&partition);
  free(offset);
  return ok;
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  const Data *d = (const Data *)assembly->data;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  const auto kernel = values ? part_kernel<true> : part_kernel<false>;
  const size_t room = sizeof(real) * (size_t)d->tets_most * (values ? RECORD : VECTOR_RECORD);
  kernel<<<d->part_count, THREADS, room, (cudaStream_t)stream.handle>>>(*d, (const real *)nodal, parameters, (real *)F,
                                                                        (real *)values, (real *)assembly->min_J);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes, P = size->pairs;
  const double often = sizeof(real) == sizeof(double) ? 3 : 2;  // parts evaluate a tet: in double they are smaller
  StageBytes bytes = stage_takes(stage, often * T * (size->supplemental * sizeof(real) + 16 + 84) + 24 * P + 16 * V);
  bytes.on[DEVICE_CPU] = T * (32 + 2 * 160) + 48 * P;  // lists while they are made
  // what parts evaluate, nodal data, and the lists of nodes; with the matrix those of pairs, and places. Each tet once
  // where lists are of own nodes and pairs alone; without padding
  const double read =
      often * T * (size->supplemental * sizeof(real) + 16) + 16 * T + V * (8 + ELEMENT_NODE_DATA * sizeof(real));
  const double F = V * ELEMENT_NODE_DOF * sizeof(real), A = stage_entries(size) * sizeof(real);
  stage_pass(stage, &bytes, WORK_VECTOR, read, F);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, read + 24 * T + 28 * P + 12 * V, F + A);
  return bytes;
}

extern "C" {
extern const AssemblyMethod ELEMENT_ROW(sharednz);
const AssemblyMethod ELEMENT_ROW(sharednz) = {
  { STAGE_ASSEMBLY, "sharednz", "parts that stage their element data in shared memory", ELEMENT_LABEL, DEVICE_CUDA,
    REAL_PRECISION, true, bytes_of },
  create,
  destroy_data,
  assemble,
};
}
