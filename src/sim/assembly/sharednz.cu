// Assembly `sharednz`: by non-zero entries through shared memory (paper 000, section 16.3.2, Fig. 16.7). One kernel. A
// block owns the nodes of one part (partition.h) and all entries of their rows, and evaluates every tet that touches
// them, so tets between parts are evaluated by each.
//   scatter    the nodes of E_k are read once each and copied to the records of their tets, by the scatter array
//   evaluate   a thread evaluates a tet; its element data overwrite its nodal data in its record
//   reduce     lists of node pairs and nodes (node_pairs.h) add the records up and store the sums
// Nothing but nodal data, supplemental data, indices and the system itself touches global memory. A pair with both
// nodes in the part is summed once and stored twice; one with a node outside is stored in the part's own rows only.
#include <math_constants.h>
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/node_pairs.h"
#include "sim/assembly/packed_lists.cuh"
#include "sim/assembly/partition.h"
#include "sim/element/element.h"

#ifndef SHAREDNZ_RESIDENT
#define SHAREDNZ_RESIDENT 2
#endif

static constexpr int larger(int a, int b) {
  return a > b ? a : b;
}

enum {
  RESIDENT = SHAREDNZ_RESIDENT,  // blocks at once on a multiprocessor: one evaluates while another reduces
  THREADS = 640 / RESIDENT,
  NODAL = ELEMENT_NODES * ELEMENT_NODE_DATA,
  PAIR_VALUES = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF,
  // a tet's record: nodal data, then in their place matrix and vector, or the vector alone; odd, for the banks
  RECORD = larger(ELEMENT_MATRIX + ELEMENT_DOF, NODAL) | 1,
  VECTOR_RECORD = larger(ELEMENT_DOF, NODAL) | 1,
  SCATTER_WORKERS = THREADS / ELEMENT_NODE_DATA,
  MATRIX_WORKERS = THREADS / PAIR_VALUES,
  VECTOR_WORKERS = THREADS / ELEMENT_NODE_DOF
};

// Arrays on the device.
typedef struct Data {
  int part_count, tets_most;
  int *tet_start;                    // [part_count + 1], tets of the parts
  real *supplemental;                // by parts, [ELEMENT_SUPPLEMENTAL][tets of the part]
  int *read_start, *read_node;       // [part_count + 1], nodes of E_k
  int *own_start, *own_node;         // [part_count + 1], nodes of the part
  int *list_start, *slot;            // [part_count + 1], pairs of the part; their slots: [2][PAIR_VALUES] each
  ListsDev scatter, matrix, vector;  // heads count within read_node, the part's pairs, own_node
} Data;

// the scatter array's walk: load(head) once, then store it at each of its items
template <typename Load, typename Store>
static __device__ __forceinline__ void scatter(const ListsDev &lists, int block, int worker, const Load &load,
                                               const Store &store) {
  enum { BATCH = 4 };
  const int64_t last = lists.start[block + 1];
  const int *__restrict__ entries = lists.entries;
  real held = 0;
  for (int64_t at = lists.start[block] + worker; at < last; at += BATCH * SCATTER_WORKERS) {
    int entry[BATCH];
    real value[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; b++) entry[b] = at + b * SCATTER_WORKERS < last ? entries[at + b * SCATTER_WORKERS] : 0;
#pragma unroll
    for (int b = 0; b < BATCH; b++) value[b] = entry[b] < 0 ? load(-entry[b] - 1) : (real)0;
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
      if (entry[b] < 0) held = value[b];
      if (entry[b] > 0) store(entry[b] - 1, held);
    }
  }
}

// nodal data [nodes][ELEMENT_NODE_DATA] -> F [n], matrix values, min_J [part_count]
template <bool WITH_MATRIX>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    part_kernel(Data d, const real *__restrict__ data, ElementParameters parameters, real *__restrict__ F,
                real *__restrict__ matrix, real *__restrict__ min_J) {
  extern __shared__ double room[];
  __shared__ uint8_t place[ELEMENT_NODES * ELEMENT_NODES * PAIR_VALUES];  // of a source's value in an element matrix
  __shared__ real warp_min[THREADS / 32];
  real *records = (real *)room;
  const int part = blockIdx.x, thread = threadIdx.x;
  const int first = d.tet_start[part], tets = d.tet_start[part + 1] - first;
  enum { STRIDE = WITH_MATRIX ? (int)RECORD : (int)VECTOR_RECORD, VECTOR = WITH_MATRIX ? (int)ELEMENT_MATRIX : 0 };

  if (WITH_MATRIX)
    for (int v = thread; v < ELEMENT_NODES * ELEMENT_NODES * PAIR_VALUES; v += THREADS) {
      const int a = v / PAIR_VALUES / ELEMENT_NODES, b = v / PAIR_VALUES % ELEMENT_NODES, value = v % PAIR_VALUES;
      place[v] = (uint8_t)symmetric_index(ELEMENT_DOF, ELEMENT_NODE_DOF * a + value / ELEMENT_NODE_DOF,
                                          ELEMENT_NODE_DOF * b + value % ELEMENT_NODE_DOF);
    }
  if (thread < SCATTER_WORKERS * ELEMENT_NODE_DATA) {
    const int i = thread % ELEMENT_NODE_DATA;
    const int *__restrict__ node = d.read_node + d.read_start[part];
    scatter(
        d.scatter, part, thread / ELEMENT_NODE_DATA, [=](int head) { return data[node[head] * ELEMENT_NODE_DATA + i]; },
        [=](int item, real value) {
          records[item / ELEMENT_NODES * STRIDE + item % ELEMENT_NODES * ELEMENT_NODE_DATA + i] = value;
        });
  }
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

  if (WITH_MATRIX && thread < MATRIX_WORKERS * PAIR_VALUES) {
    const int value = thread % PAIR_VALUES;
    const int *__restrict__ slot = d.slot + (size_t)d.list_start[part] * 2 * PAIR_VALUES;
    reduce<MATRIX_WORKERS>(
        d.matrix, part, thread / PAIR_VALUES,
        [=](int source) {
          const int e = source / (ELEMENT_NODES * ELEMENT_NODES), pair = source % (ELEMENT_NODES * ELEMENT_NODES);
          return records[e * STRIDE + place[pair * PAIR_VALUES + value]];
        },
        [=](int target, real sum) {
          const int there = slot[target * 2 * PAIR_VALUES + value];
          const int back = slot[(target * 2 + 1) * PAIR_VALUES + value];
          matrix[there] = sum;
          if (back >= 0) matrix[back] = sum;
        });
  }
  if (thread < VECTOR_WORKERS * ELEMENT_NODE_DOF) {
    const int i = thread % ELEMENT_NODE_DOF;
    const int *__restrict__ node = d.own_node + d.own_start[part];
    reduce<VECTOR_WORKERS>(
        d.vector, part, thread / ELEMENT_NODE_DOF,
        [=](int source) {
          return records[source / ELEMENT_NODES * STRIDE + VECTOR + source % ELEMENT_NODES * ELEMENT_NODE_DOF + i];
        },
        [=](int target, real sum) { F[node[target] * ELEMENT_NODE_DOF + i] = sum; });
  }
}

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  void *arrays[] = { d->tet_start, d->supplemental, d->read_start, d->read_node,
                     d->own_start, d->own_node,     d->list_start, d->slot };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free_lists(&d->scatter);
  free_lists(&d->matrix);
  free_lists(&d->vector);
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
};

// Everything of one part, and after the last the whole is put on the device.
struct Parts {
  std::vector<int> read_start = { 0 }, read_node, list_start = { 0 }, slot;
  std::vector<real> supplemental;
  Lists scatter, matrix, vector;
  std::vector<int> node_number, own_number;  // of a node in the part at hand: among its nodes of E_k, among its own
};

static void add_part(Parts *all, const TetMesh *mesh, const Matrix *layout, const uint16_t (*offset)[4][4],
                     const Partition *p, int part) {
  const Pattern *pattern = layout->pattern;
  const int *tet = p->tet + p->tet_start[part], tets = p->tet_start[part + 1] - p->tet_start[part];
  const int *own = p->node + p->node_start[part], owned = p->node_start[part + 1] - p->node_start[part];
  std::vector<int> head, item;
  for (int k = 0; k < owned; k++) all->own_number[own[k]] = k;

  // nodal and supplemental data
  const size_t reads_before = all->read_node.size(), supplemental_before = all->supplemental.size();
  all->supplemental.resize(supplemental_before + (size_t)tets * ELEMENT_SUPPLEMENTAL);
  for (int e = 0; e < tets; e++) {
    real S[ELEMENT_SUPPLEMENTAL_ROOM];
    element_supplemental(mesh, tet[e], S);
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) all->supplemental[supplemental_before + (size_t)k * tets + e] = S[k];
    for (int a = 0; a < ELEMENT_NODES; a++) {
      const int node = mesh->tet[tet[e]][a];
      if (all->node_number[node] < 0) {
        all->node_number[node] = (int)(all->read_node.size() - reads_before);
        all->read_node.push_back(node);
      }
      head.push_back(all->node_number[node]);
      item.push_back(ELEMENT_NODES * e + a);
    }
  }
  all->scatter.add_block((int)(all->read_node.size() - reads_before), head, item);
  all->read_start.push_back((int)all->read_node.size());

  // lists of pairs: those of an own node with itself, with later own nodes, and with nodes of other parts
  std::vector<int> list_at((size_t)owned + 1, 0);  // where the neighbours of each own node begin in `list`
  for (int k = 0; k < owned; k++) {
    const int row = ELEMENT_NODE_DOF * own[k];
    list_at[k + 1] = list_at[k] + (pattern->row_start[row + 1] - pattern->row_start[row]) / ELEMENT_NODE_DOF;
  }
  std::vector<int> list((size_t)list_at[owned], -1);
  int count = 0;
  for (int k = 0; k < owned; k++) {
    const int row = ELEMENT_NODE_DOF * own[k];
    for (int position = 0; position < list_at[k + 1] - list_at[k]; position++) {
      const int other = pattern->col[pattern->row_start[row] + ELEMENT_NODE_DOF * position] / ELEMENT_NODE_DOF;
      const bool inside = all->own_number[other] >= 0;
      if (inside && other < own[k]) continue;
      list[list_at[k] + position] = count++;
      all->slot.resize(all->slot.size() + 2 * PAIR_VALUES);
      pair_slots(layout, own[k], other, !inside, all->slot.data() + all->slot.size() - 2 * PAIR_VALUES);
    }
  }
  head.clear(), item.clear();
  std::vector<int> node_head, node_item;
  for (int e = 0; e < tets; e++)
    for (int a = 0; a < ELEMENT_NODES; a++) {
      const int k = all->own_number[mesh->tet[tet[e]][a]];
      if (k < 0) continue;
      node_head.push_back(k);
      node_item.push_back(ELEMENT_NODES * e + a);
      for (int b = 0; b < ELEMENT_NODES; b++) {
        const int l = list[list_at[k] + offset[tet[e]][a][b] / ELEMENT_NODE_DOF];
        if (l < 0) continue;
        head.push_back(l);
        item.push_back(pair_source(e, a, b));
      }
    }
  all->matrix.add_block(count, head, item);
  all->vector.add_block(owned, node_head, node_item);
  all->list_start.push_back(all->list_start.back() + count);

  for (int k = 0; k < owned; k++) all->own_number[own[k]] = -1;
  for (size_t k = reads_before; k < all->read_node.size(); k++) all->node_number[all->read_node[k]] = -1;
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
         put(&d->read_node, all->read_node, error) && put(&d->list_start, all->list_start, error) &&
         put(&d->slot, all->slot, error) &&
         put_lists(&d->scatter, all->scatter.block_list, all->scatter.item_start.data(), all->scatter.item.data(),
                   SCATTER_WORKERS, HEAD_FIRST, error) &&
         put_lists(&d->matrix, all->matrix.block_list, all->matrix.item_start.data(), all->matrix.item.data(),
                   MATRIX_WORKERS, HEAD_LAST, error) &&
         put_lists(&d->vector, all->vector.block_list, all->vector.item_start.data(), all->vector.item.data(),
                   VECTOR_WORKERS, HEAD_LAST, error);
}

static int largest_star(const TetMesh *mesh) {
  std::vector<int> count((size_t)mesh->node_count, 0);
  int most = 0;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < ELEMENT_NODES; a++) most = larger(most, ++count[mesh->tet[e][a]]);
  return most;
}

// How many records a block may have: what lets RESIDENT blocks share a multiprocessor, or where the tets at a node need
// more than that, all that a block can get.
static bool budget(const TetMesh *mesh, int *tets_most, Error *error) {
  int device = 0, whole = 0, block = 0, reserved = 0;
  cudaFuncAttributes kernel;
  CUDA_TRY(cudaGetDevice(&device));
  CUDA_TRY(cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  CUDA_TRY(cudaDeviceGetAttribute(&block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CUDA_TRY(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
  CUDA_TRY(cudaFuncGetAttributes(&kernel, part_kernel<true>));
  const int record = RECORD * (int)sizeof(real), own = (int)kernel.sharedSizeBytes;
  const int shared = (whole / RESIDENT - reserved - own) / record, alone = (block - own) / record;
  *tets_most = shared < alone && largest_star(mesh) <= shared ? shared : alone;
  CUDA_TRY(cudaFuncSetAttribute(part_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, *tets_most * record));
  CUDA_TRY(cudaFuncSetAttribute(part_kernel<false>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                *tets_most * VECTOR_RECORD * (int)sizeof(real)));
  return true;
}

static bool create(Assembly *assembly, const TetMesh *mesh, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  Partition partition = {};
  int tets_fit = 0;
  if (!d || !budget(mesh, &tets_fit, error)) return false;
  uint16_t(*offset)[4][4] = assembly_offsets(mesh, assembly->layout->pattern, error);
  bool ok = offset && partition_create(&partition, mesh, assembly->partitioner, tets_fit, error);
  if (ok) {
    Parts all;
    all.node_number.assign((size_t)mesh->node_count, -1);
    all.own_number.assign((size_t)mesh->node_count, -1);
    for (int part = 0; part < partition.part_count; part++) {
      add_part(&all, mesh, assembly->layout, offset, &partition, part);
      d->tets_most = larger(d->tets_most, partition.tet_start[part + 1] - partition.tet_start[part]);
    }
    d->part_count = partition.part_count;
    assembly->parts = { d->part_count, partition.tet_start[d->part_count], (int64_t)all.read_node.size(), d->tets_most,
                        tets_fit };
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

extern "C" {
extern const AssemblyMethod ELEMENT_ROW(sharednz);
const AssemblyMethod ELEMENT_ROW(sharednz) = {
  "sharednz",     "parts that stage their element data in shared memory",
  ELEMENT_LABEL,  DEVICE_CUDA,
  REAL_PRECISION, create,
  destroy_data,   assemble,
};
}
