// Assembly "sharednz" (paper 000, section 16.3.2, Fig. 16.7): sums each block of the system's matrix from matrices of
// tets in shared memory. The mesh is divided into parts, groups of nodes (partition.h). One thread block computes all
// matrix rows of a part's nodes. It evaluates all tets that have one of these nodes. A tet with nodes of several parts
// is evaluated once for each of these parts. Each tet has a record in shared memory: its nodal data, later its vector
// and matrix. The kernel has three phases:
//   scatter    reads nodal data and copies them to the records of the tets, along lists of positions (packed_lists.h)
//   evaluate   one thread evaluates each tet; its vector and matrix overwrite the nodal data in its record
//   reduce     some warps sum blocks of the records along lists of node pairs, others along lists of nodes
//              (node_pairs.h)
// A block is the submatrix of two nodes. If both nodes are in the part, their block is summed once and stored twice,
// also transposed. If one node is in another part, the block is stored only in the row of the part's node.
//
// The assemblies "sharednz16" and "sharednz48" are variants with less shared memory: 16 KB, as on the Tesla C1060 of
// paper 000, and 48 KB, as on its GTX 480. Their parts are smaller, so more tets are evaluated in several parts.
#include <math_constants.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"
#include "device/cuda_try.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/packed_lists.cuh"
#include "sim/assembly/part_lists.h"
#include "sim/element/element.h"

namespace sharednz_assembly {

// Default values of sizes that compiler options can replace. The struct Variant below explains them.
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
  // NODAL: number of input values of a tet, such as the displacements of its nodes. PAIR_VALUES: number of values of
  // the block of two nodes, 9 for a solid.
  NODAL = ELEMENT_NODES * ELEMENT_NODE_DATA,
  PAIR_VALUES = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF,
  // RECORD: length of a tet's record in shared memory, in reals. A record first holds the nodal data of the tet, later
  // its matrix and vector. VECTOR_RECORD: length if only the vector is computed. Both lengths are odd, to avoid bank
  // conflicts.
  RECORD = larger(ELEMENT_MATRIX + ELEMENT_DOF, NODAL) | 1,
  VECTOR_RECORD = larger(ELEMENT_DOF, NODAL) | 1,
  // maximum number of records to which one thread copies the data of a node; other threads copy the data to further
  // records
  SCATTER_ITEMS = 6,
  // number of ordered pairs (a, b) of a tet's nodes, those with a = b included
  PAIRS = ELEMENT_NODES * ELEMENT_NODES
};

// Numbers of threads and bytes of one variant of the assembly. The kernel's template parameter `Kind` is a variant.
template <int BLOCK_THREADS, int BLOCKS, int BYTES>
struct Variant {
  // number of threads of a thread block
  static constexpr int THREADS = BLOCK_THREADS;
  // number of thread blocks that run on a multiprocessor at the same time; while one evaluates tets, another can add up
  // results
  static constexpr int RESIDENT = BLOCKS;
  // bytes of shared memory that a thread block may use; 0: all that the multiprocessor has, divided by RESIDENT
  static constexpr int LIMIT = BYTES;
  // NODE_THREADS: number of threads that sum along lists of nodes; the other threads of the thread block sum along
  // lists of pairs. NODE_WORKERS, PAIR_WORKERS: numbers of workers for nodes and for pairs. A worker is a group of
  // threads, one for each row of a block; it sums along one list at a time.
  static constexpr int NODE_THREADS = larger(THREADS * 3 / 10 / 32 * 32, 32);
  static constexpr int NODE_WORKERS = NODE_THREADS / ELEMENT_NODE_DOF;
  static constexpr int PAIR_WORKERS = (THREADS - NODE_THREADS) / ELEMENT_NODE_DOF;
  static_assert(THREADS % 32 == 0 && THREADS >= PAIRS * ELEMENT_NODE_DOF, "each entry of `index` needs a thread");
};

// The three variants. A thread block with less shared memory has fewer tets, so it has fewer threads, and more thread
// blocks run on a multiprocessor. Members for estimates of memory: OFTEN is the average number of parts that evaluate a
// tet; the fewer tets fit into a part, the larger it is. LISTS is the number of bytes of the lists for each of these
// evaluations; small parts have more padding in their lists.
static constexpr bool WIDE = sizeof(real) == sizeof(double);
struct Unlimited : Variant<SHAREDNZ_THREADS, SHAREDNZ_RESIDENT, 0> {
  static constexpr double OFTEN = WIDE ? 3 : 2, LISTS = 84;
};
struct Limit16 : Variant<96, 6, 16 * 1024> {
  static constexpr double OFTEN = WIDE ? 4 : 3.3, LISTS = WIDE ? 188 : 128;
};
struct Limit48 : Variant<160, 4, 48 * 1024> {
  static constexpr double OFTEN = WIDE ? 3 : 2.4, LISTS = WIDE ? 124 : 84;
};

// Arrays on the device. A part owns the nodes whose matrix rows its thread block sums.
typedef struct Data {
  int part_count, tets_max;  // part_count: number of parts. tets_max: largest number of tets of a part.
  // [part_count + 1], number of the first tet of each part; the tets of all parts are numbered one part after the other
  int *tet_start;
  real *supplemental;  // constants of the tets: for each part [ELEMENT_SUPPLEMENTAL][tets of the part]
  // read_node: for each list of `scatter`, the node whose data it copies; the lists of all parts, one part after the
  // other. read_start [part_count + 1]: index in read_node of each part's first list.
  int *read_start, *read_node;
  // owned_node: the nodes of each part. owned_start [part_count + 1]: index in owned_node of each part's first node.
  int *owned_start, *owned_node;
  int *pair_start;  // [part_count + 1], index in pair_slots of each part's first pair of nodes
  // For each pair of nodes: `direct`, the position of the pair's block in the matrix, and `transposed`, the position of
  // the transposed block. If the row of the transposed block belongs to another part, transposed.at is -1, and the
  // other part computes that block.
  PairSlots *pair_slots;
  BlockSlots *diagonal_slots;  // for each node in owned_node: the position of its diagonal block in the matrix
  // true if the matrix stores its diagonal entries before all others
  bool diagonal_first;
  // scatter: lists by which nodal data are copied to the records of tets. pairs, nodes: lists along which the blocks of
  // pairs and the diagonal blocks and forces of nodes are summed (packed_lists.h). Each list has one number that is not
  // an item, its head. The head is an index: in `scatter` into the part's read_node, in `pairs` into the part's pairs,
  // in `nodes` into the part's nodes.
  ListsDev scatter, pairs, nodes;
} Data;

// Copies nodal data to the records of tets, along lists (packed_lists.h). A list has 1 + SCATTER_ITEMS entries, which
// one thread loads together. The first entry names a node, whose data the thread loads once. Each further entry is 0
// (padding) or 1 + (e * ELEMENT_NODES + a): the data are copied to corner a in the record of tet e. STRIDE: length of a
// record.
template <int STRIDE, int THREADS>
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

// Returns four bytes in one integer. Byte k is the index, in a tet's matrix, of entry k of one row of a block. The
// tet's matrix is stored as its upper triangle, so indices are below 256. `thread` names the row: (a * ELEMENT_NODES +
// b) * ELEMENT_NODE_DOF + row, for row `row` of the block of nodes a and b.
static __device__ __forceinline__ uint32_t value_indices(int thread) {
  static_assert(ELEMENT_NODE_DOF <= 4 && ELEMENT_MATRIX <= 256, "the indices of a row must fit in four bytes");
  const int pair = thread / ELEMENT_NODE_DOF, row = pair / ELEMENT_NODES * ELEMENT_NODE_DOF + thread % ELEMENT_NODE_DOF;
  uint32_t bytes = 0;
  for (int k = 0; k < ELEMENT_NODE_DOF; k++)
    bytes |= (uint32_t)symmetric_index(ELEMENT_DOF, row, pair % ELEMENT_NODES * ELEMENT_NODE_DOF + k) << 8 * k;
  return bytes;
}

// Computes the smallest `low` of all threads of the thread block and stores it in *to. warp_min: work memory in shared
// memory, one number for each warp. All threads must call this function.
template <int THREADS>
static __device__ __forceinline__ void store_smallest(real low, real *warp_min, real *to) {
  const int thread = threadIdx.x;
  for (int step = 16; step > 0; step /= 2) low = min(low, __shfl_xor_sync(0xffffffff, low, step));
  if (thread % 32 == 0) warp_min[thread / 32] = low;
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < THREADS / 32; w++) low = min(low, warp_min[w]);
    *to = low;
  }
}

// Evaluates the tets of a part. supplemental: the constants of the tets of all parts; tet number `first` is the first
// tet of this part. The vector and matrix of each tet replace the nodal data in its record. Returns the smallest J =
// det F of this thread's tets, or -inf if one is NaN.
template <bool WITH_MATRIX, int THREADS>
static __device__ __forceinline__ real evaluate_tets(const real *supplemental, int first, int tets,
                                                     const ElementParameters &parameters, real *records) {
  enum { STRIDE = WITH_MATRIX ? (int)RECORD : (int)VECTOR_RECORD, VECTOR = WITH_MATRIX ? (int)ELEMENT_MATRIX : 0 };
  real low = CUDART_INF_F;
  for (int e = threadIdx.x; e < tets; e += THREADS) {
    real data_e[NODAL], S[ELEMENT_SUPPLEMENTAL_CAPACITY], F_e[ELEMENT_DOF], *record = records + e * STRIDE;
    const real *s = supplemental + (size_t)first * ELEMENT_SUPPLEMENTAL + e;
#pragma unroll
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) S[k] = s[k * tets];
#pragma unroll
    for (int k = 0; k < NODAL; k++) data_e[k] = record[k];
    const real J = element_evaluate(data_e, S, &parameters, F_e, WITH_MATRIX ? record : NULL);
#pragma unroll
    for (int k = 0; k < ELEMENT_DOF; k++) record[VECTOR + k] = F_e[k];
    low = min(low, J == J ? J : -CUDART_INF_F);
  }
  return low;
}

// The kernel; each thread block processes one part. Computes the vector F [node_count][ELEMENT_NODE_DOF], the matrix
// values, and min_J [part_count], the smallest determinant of the deformation gradient in each part. `data`
// [node_count][ELEMENT_NODE_DATA] are nodal data, such as displacements.
template <typename Kind, bool WITH_MATRIX>
static __global__ void __launch_bounds__(Kind::THREADS, Kind::RESIDENT)
    part_kernel(Data d, const real *__restrict__ data, ElementParameters parameters, real *__restrict__ F,
                real *__restrict__ matrix, real *__restrict__ min_J) {
  extern __shared__ double buffer[];

  // index [a][b][row]: four bytes. Byte k is the index, in the stored matrix of a tet, of entry k of row `row` of block
  // (a, b) (value_indices).
  __shared__ uint32_t index[PAIRS * ELEMENT_NODE_DOF];
  __shared__ real warp_min[Kind::THREADS / 32];
  real *records = (real *)buffer;
  const int part = blockIdx.x, thread = threadIdx.x;
  const int first = d.tet_start[part], tets = d.tet_start[part + 1] - first;
  enum { STRIDE = WITH_MATRIX ? (int)RECORD : (int)VECTOR_RECORD, VECTOR = WITH_MATRIX ? (int)ELEMENT_MATRIX : 0 };

  if (WITH_MATRIX && thread < PAIRS * ELEMENT_NODE_DOF) index[thread] = value_indices(thread);
  scatter<STRIDE, Kind::THREADS>(d.scatter, part, d.read_node + d.read_start[part], data, records);
  __syncthreads();

  const real low = evaluate_tets<WITH_MATRIX, Kind::THREADS>(d.supplemental, first, tets, parameters, records);
  store_smallest<Kind::THREADS>(low, warp_min, min_J + part);

  // The first NODE_THREADS threads compute diagonal blocks and forces of nodes, the other threads off-diagonal blocks.
  const bool for_nodes = thread < Kind::NODE_THREADS;
  const int lane = for_nodes ? thread : thread - Kind::NODE_THREADS, worker = lane / ELEMENT_NODE_DOF,
            row = lane % ELEMENT_NODE_DOF;
  if (for_nodes ? worker >= Kind::NODE_WORKERS : !WITH_MATRIX || worker >= Kind::PAIR_WORKERS) return;
  if (for_nodes) {
    const int first_node = d.owned_start[part];
    const int *__restrict__ node = d.owned_node + first_node;
    const BlockSlots *__restrict__ diagonal_slots = d.diagonal_slots + first_node;
    const bool diagonal_first = d.diagonal_first;
    reduce<WITH_MATRIX ? 1 + ELEMENT_NODE_DOF : 1>(
        d.nodes, part, Kind::NODE_WORKERS, worker,
        [=](unsigned source, real *value) {
          const unsigned a = source % ELEMENT_NODES;
          const real *record = records + source / ELEMENT_NODES * STRIDE;
          value[0] = record[VECTOR + a * ELEMENT_NODE_DOF + row];
          if (WITH_MATRIX) {
            const uint32_t bytes = index[a * (ELEMENT_NODES + 1) * ELEMENT_NODE_DOF + row];
#pragma unroll
            for (int k = 0; k < ELEMENT_NODE_DOF; k++) value[1 + k] = record[bytes >> 8 * k & 255];
          }
        },
        [=](int target) {
          DiagonalSlots to;
          to.node = node[target];
          if (WITH_MATRIX) to.block = diagonal_slots[target];
          return to;
        },
        [=](const DiagonalSlots &to, const real *sum) {
          F[to.node * ELEMENT_NODE_DOF + row] = sum[0];
          if (WITH_MATRIX)
#pragma unroll
            for (int k = 0; k < ELEMENT_NODE_DOF; k++)
              matrix[diagonal_block_slot(to.block, diagonal_first, ELEMENT_NODE_DOF, to.node, row, k)] = sum[1 + k];
        });
    return;
  }

  const PairSlots *__restrict__ slots = d.pair_slots + d.pair_start[part];
  reduce<ELEMENT_NODE_DOF>(
      d.pairs, part, Kind::PAIR_WORKERS, worker,
      [=](unsigned source, real *value) {
        const real *record = records + source / PAIRS * RECORD;
        const uint32_t bytes = index[source % PAIRS * ELEMENT_NODE_DOF + row];
#pragma unroll
        for (int k = 0; k < ELEMENT_NODE_DOF; k++) value[k] = record[bytes >> 8 * k & 255];
      },
      [=](int target) { return load_slots(slots, target); },
      [=](const PairSlots &to, const real *sum) { store_row<ELEMENT_NODE_DOF>(to, row, sum, matrix); });
}

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  void *arrays[] = { d->tet_start,  d->supplemental, d->read_start, d->read_node,     d->owned_start,
                     d->owned_node, d->pair_start,   d->pair_slots, d->diagonal_slots };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free_lists(&d->scatter);
  free_lists(&d->pairs);
  free_lists(&d->nodes);
  free(d);
}

// Arguments of find_supplemental, a parallel loop over parts. The loop computes the constants S(e) of each part's tets.
struct SupplementalTask {
  const Space *space;
  const Partition *p;
  real *supplemental;
};

static void find_supplemental(const void *task, int begin, int end) {
  const SupplementalTask *t = (const SupplementalTask *)task;
  for (int part = begin; part < end; part++) {
    const int first = t->p->tet_start[part], tets = t->p->tet_start[part + 1] - first;
    real *out = t->supplemental + (size_t)first * ELEMENT_SUPPLEMENTAL;
    for (int e = 0; e < tets; e++) {
      real S[ELEMENT_SUPPLEMENTAL_CAPACITY];
      element_supplemental(t->space, t->p->tet[first + e], S);
      for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) out[(size_t)k * tets + e] = S[k];
    }
  }
}

static bool put_supplemental(Data *d, const Space *space, const Partition *p, Error *error) {
  enum { PART_CHUNK = 16 };
  const int64_t count = (int64_t)p->tet_start[p->part_count] * ELEMENT_SUPPLEMENTAL;
  real *supplemental = (real *)array_new(count, sizeof *supplemental, "tets", error);
  if (!supplemental) return false;
  const SupplementalTask task = { space, p, supplemental };
  parallel_for(p->part_count, PART_CHUNK, find_supplemental, &task);
  d->supplemental = (real *)device_clone(DEVICE_CUDA, supplemental, (size_t)count * sizeof *supplemental, error);
  free(supplemental);
  return d->supplemental != NULL;
}

// Copies an array of `count` ints to the device.
static bool put_range(int **dev, const int *host, size_t count, Error *error) {
  *dev = (int *)device_clone(DEVICE_CUDA, host, count * sizeof *host, error);
  return *dev != NULL;
}

// Builds the lists by which thread blocks read the nodal data of their parts, and copies them to the device. A part is
// a group of nodes. Sets *nodes to the number of nodes that a part reads, summed over all parts.
template <typename Kind>
static bool put_reads(Data *d, const Space *space, const Partition *p, int64_t *nodes, Error *error) {
  PartReads reads = {};
  bool ok = part_reads_create(&reads, space, p, SCATTER_ITEMS, Kind::THREADS, error);
  ok = ok && put_range(&d->read_start, reads.start, (size_t)p->part_count + 1, error);
  ok = ok && put_range(&d->read_node, reads.node, (size_t)reads.start[p->part_count], error);
  ok = ok && put_packed(&d->scatter, &reads.lists, error);
  *nodes = reads.nodes;
  part_reads_destroy(&reads);
  return ok;
}

// Builds the lists along which thread blocks sum the blocks of pairs of nodes, and copies them to the device.
template <typename Kind>
static bool put_pairs(Data *d, const Space *space, const Operator *layout, const Partition *p, const PartOwners *owners,
                      Error *error) {
  PartPairs pairs = {};
  bool ok = part_pairs_create(&pairs, space, layout, p, owners, { Kind::PAIR_WORKERS, REDUCE_BATCH }, error);
  if (ok) {
    static_assert(sizeof(PairSlots) == sizeof *pairs.slots,
                  "PairSlots must have the size of the two BlockSlots of a pair of nodes");
    const size_t count = (size_t)pairs.start[p->part_count];
    d->pair_slots = (PairSlots *)device_clone(DEVICE_CUDA, pairs.slots, count * sizeof *pairs.slots, error);
    ok = d->pair_slots && put_range(&d->pair_start, pairs.start, (size_t)p->part_count + 1, error) &&
         put_packed(&d->pairs, &pairs.lists, error);
  }
  part_pairs_destroy(&pairs);
  return ok;
}

// Builds the lists along which thread blocks sum the diagonal blocks and forces of nodes, and copies them to the
// device.
template <typename Kind>
static bool put_nodes(Data *d, const Space *space, const Operator *layout, const Partition *p, const PartOwners *owners,
                      Error *error) {
  PartNodes nodes = {};
  bool ok = part_nodes_create(&nodes, space, layout, p, owners, { Kind::NODE_WORKERS, REDUCE_BATCH }, error);
  if (ok) {
    const size_t bytes = (size_t)space->node_count * sizeof *nodes.slots;
    d->diagonal_slots = (BlockSlots *)device_clone(DEVICE_CUDA, nodes.slots, bytes, error);
    ok = d->diagonal_slots && put_packed(&d->nodes, &nodes.lists, error);
  }
  part_nodes_destroy(&nodes);
  return ok;
}

// Builds the arrays of Data and copies them to the device. Each array is freed on the host before the next is built.
template <typename Kind>
static bool put_parts(Assembly *assembly, const Space *space, const Partition *p, Error *error) {
  Data *d = (Data *)assembly->data;
  PartOwners owners = {};
  const size_t parts = (size_t)p->part_count;
  bool ok = put_range(&d->tet_start, p->tet_start, parts + 1, error);
  ok = ok && put_range(&d->owned_start, p->node_start, parts + 1, error);
  ok = ok && put_range(&d->owned_node, p->node, (size_t)p->node_start[parts], error);
  ok = ok && put_supplemental(d, space, p, error);
  ok = ok && put_reads<Kind>(d, space, p, &assembly->parts.nodes, error);
  ok = ok && part_owners_create(&owners, space, p, error);
  ok = ok && put_pairs<Kind>(d, space, assembly->layout, p, &owners, error);
  ok = ok && put_nodes<Kind>(d, space, assembly->layout, p, &owners, error);
  part_owners_destroy(&owners);
  return ok;
}

// Returns the largest number of tets that share a node.
static int max_node_tets(const Space *space) {
  std::vector<int> count((size_t)space->node_count, 0);
  int maximum = 0;
  for (int e = 0; e < space->cell_count; e++)
    for (int a = 0; a < ELEMENT_NODES; a++) maximum = larger(maximum, ++count[space_cell(space, e)[a]]);
  return maximum;
}

// Sets *tets_max, the largest number of tets of a part; the records of these tets must fit into shared memory.
// Normally, RESIDENT thread blocks divide the memory of a multiprocessor, or a thread block uses LIMIT bytes. This may
// be too little for the tets at a single node. A variant with a limit then exceeds the limit by as much as this node
// needs. A variant without a limit then gives all of the memory to one thread block.
template <typename Kind>
static bool budget(const Space *space, int *tets_max, Error *error) {
  int whole = 0, block = 0, reserved = 0;
  cudaFuncAttributes kernel;
  CUDA_TRY(cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device_gpu()));
  CUDA_TRY(cudaDeviceGetAttribute(&block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_gpu()));
  CUDA_TRY(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device_gpu()));
  CUDA_TRY(cudaFuncGetAttributes(&kernel, part_kernel<Kind, true>));
  const int record = RECORD * (int)sizeof(real), static_bytes = (int)kernel.sharedSizeBytes;
  const int bytes = Kind::LIMIT > 0 ? Kind::LIMIT : whole / Kind::RESIDENT - reserved;
  const int shared = (bytes - static_bytes) / record, alone = (block - static_bytes) / record;
  const int needed = max_node_tets(space), raised = Kind::LIMIT > 0 && needed < alone ? needed : alone;
  *tets_max = shared < alone && needed <= shared ? shared : raised;

  // All bodies use one kernel, for which CUDA has one limit of shared memory. So the limit is the memory that the
  // largest possible part needs.
  const int vector_record = VECTOR_RECORD * (int)sizeof(real);
  CUDA_TRY(cudaFuncSetAttribute(part_kernel<Kind, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, alone * record));
  CUDA_TRY(cudaFuncSetAttribute(part_kernel<Kind, false>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                alone * vector_record));
  return true;
}

template <typename Kind>
static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  Partition partition = {};
  int tets_fit = 0;
  if (!d || !budget<Kind>(space, &tets_fit, error)) return false;
  d->diagonal_first = assembly->layout->method->diagonal_first;
  bool ok = partition_create(&partition, space, assembly->partitioner, tets_fit, error);
  if (ok) {
    for (int part = 0; part < partition.part_count; part++)
      d->tets_max = larger(d->tets_max, partition.tet_start[part + 1] - partition.tet_start[part]);
    d->part_count = partition.part_count;
    assembly->parts = { d->part_count, partition.tet_start[d->part_count], 0 };
    assembly->min_J_count = d->part_count;
    assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)d->part_count, error);
    ok = assembly->min_J && put_parts<Kind>(assembly, space, &partition, error);
  }
  partition_destroy(&partition);
  return ok;
}

template <typename Kind>
static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  const Data *d = (const Data *)assembly->data;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  const auto kernel = values ? part_kernel<Kind, true> : part_kernel<Kind, false>;
  const size_t buffer = sizeof(real) * (size_t)d->tets_max * (values ? RECORD : VECTOR_RECORD);
  kernel<<<d->part_count, Kind::THREADS, buffer, (cudaStream_t)stream.handle>>>(
      *d, (const real *)nodal, parameters, (real *)F, (real *)values, (real *)assembly->min_J);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Estimates the bytes of this assembly's arrays, and the bytes that it reads and writes each time it runs. This is the
// function Stage.bytes.
template <typename Kind>
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes, P = size->pairs, often = Kind::OFTEN;
  StageBytes bytes =
      stage_takes(stage, often * T * (size->supplemental * sizeof(real) + 16 + Kind::LISTS) + 24 * P + 16 * V);

  // The host needs memory for the parts, and for the larger of two arrays that do not exist at the same time: constants
  // of tets, and lists of pairs of nodes. A pair at the border of two parts has a list in each of these parts.
  const double supplemental = often * T * size->supplemental * sizeof(real), pairs = (1 + often / 4) * 56 * P;
  bytes.on[DEVICE_CPU] = often * 4 * T + 12 * V + (pairs > supplemental ? pairs : supplemental);

  // The kernel reads the parts' tets, nodal data and lists of nodes; for the matrix also lists of pairs of nodes and
  // positions of blocks. Each corner of a tet is in one list, even if several parts evaluate the tet. Not counted:
  // padding, and the second list of a pair of nodes at the border of two parts.
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
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "sharednz",
             .summary = "computes parts of the mesh, each with its element data in the shared memory of a thread block",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .preferred = true,
             .bytes = bytes_of<Unlimited> },
  .create = create<Unlimited>,
  .destroy_data = destroy_data,
  .assemble = assemble<Unlimited>,
};

#ifdef HAS_COMPARED
extern const AssemblyMethod ELEMENT_ROW(sharednz16), ELEMENT_ROW(sharednz48);
const AssemblyMethod ELEMENT_ROW(sharednz16) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "sharednz16",
             .summary = "as sharednz, with 16 KB of shared memory for each thread block",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of<Limit16> },
  .create = create<Limit16>,
  .destroy_data = destroy_data,
  .assemble = assemble<Limit16>,
};
const AssemblyMethod ELEMENT_ROW(sharednz48) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "sharednz48",
             .summary = "as sharednz, with 48 KB of shared memory for each thread block",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of<Limit48> },
  .create = create<Limit48>,
  .destroy_data = destroy_data,
  .assemble = assemble<Limit48>,
};
#endif
}

}  // namespace sharednz_assembly
