// Assembly "globalnz" (paper 000, section 16.3.1): writes the tets' matrices to global memory, then sums each block of
// the system's matrix from them. It has two kinds of kernels:
//   elements   One thread evaluates each tet and writes its record, the tet's matrix and vector, to global memory. A
//              thread block loads the nodal data of its TETS tets into shared memory, each node once. Records pass
//              through shared memory, so that the writes are coalesced. Matrices of tets of 10 nodes are too large for
//              shared memory; threads write these matrices directly to global memory.
//   reduction  Sums blocks of the records along lists (packed_lists.h), in one launch for pairs of nodes and one for
//              nodes (node_pairs.h). A block is the submatrix of two nodes. A worker, 3 threads for a solid, processes
//              one list at a time; each thread sums one row of the block.
// The records are in two arrays: matrices [tet][pairs (a, b) of its nodes with a <= b][values of a block], and vectors
// [tet][ELEMENT_DOF]. Under a memory budget, both kinds of kernels run for one chunk of tets after the other, with the
// same bits (record_chunks.h).
#include <math_constants.h>
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/node_pairs.h"
#include "sim/assembly/packed_lists.cuh"
#include "sim/assembly/record_chunks.h"
#include "sim/element/element.h"

namespace globalnz_assembly {

enum {
  TETS = 64,  // number of tets, and of threads, of a thread block of the element kernel
  // NODES_MAX: largest number of different nodes of the TETS tets of a thread block. NODAL_CAPACITY: length, in reals,
  // of a buffer in shared memory. The buffer first holds the nodal data of these nodes, later the vectors of the tets.
  NODES_MAX = TETS * ELEMENT_NODES,
  NODAL_CAPACITY = NODES_MAX * (ELEMENT_NODE_DATA > ELEMENT_NODE_DOF ? ELEMENT_NODE_DATA : ELEMENT_NODE_DOF),
  // PAIR_VALUES: number of values of the block of two nodes, 9 for a solid. LOCAL_PAIRS: number of pairs (a, b) of a
  // tet's nodes with a <= b. RECORD: number of values of the matrix in a record.
  PAIR_VALUES = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF,
  LOCAL_PAIRS = ELEMENT_NODES * (ELEMENT_NODES + 1) / 2,
  RECORD = LOCAL_PAIRS * PAIR_VALUES,
  // distance between the matrices of two records, in reals: a multiple of 8, so that each matrix begins at a 32-byte
  // sector of memory
  RECORD_STRIDE = (RECORD + 7) / 8 * 8,
  RECORD_BYTES = sizeof(real) * (RECORD_STRIDE + ELEMENT_DOF),  // bytes of a record, the matrix and the vector of a tet
  // distance in shared memory between the matrices of two tets; it is odd, so that the threads of a warp write to
  // different memory banks
  STAGE_STRIDE = ELEMENT_MATRIX | 1,
  STAGED = ELEMENT_NODES <= 4,  // true: the matrices of a thread block's TETS tets fit into shared memory
  // number of workers in a thread block of the kernel that sums the blocks of pairs of nodes; a worker is a group of
  // threads, one for each row of a block
  PAIR_WORKERS = 288 / ELEMENT_NODE_DOF,
  PAIR_TARGETS = PAIR_WORKERS,  // number of pairs of nodes whose blocks one thread block sums
  // number of workers in a thread block of the kernel that sums diagonal blocks and forces of nodes
  NODE_WORKERS = 96 / ELEMENT_NODE_DOF,
  NODE_TARGETS = NODE_WORKERS  // number of nodes whose diagonal blocks and forces one thread block sums
};

// A chunk is a range of tets whose records (vectors and matrices) are in memory at the same time. Three kernels process
// it: for tets, for pairs of nodes, and for nodes. Each kernel runs a range of its thread blocks. `tets`, `pairs`,
// `nodes`: each kernel's first thread block. tet_blocks, pair_blocks, node_blocks: each kernel's number of thread
// blocks.
typedef struct Chunk {
  int tets, tet_blocks, pairs, pair_blocks, nodes, node_blocks;
} Chunk;

// Arrays on the device. In their names, a "block" is a group of TETS tets that one thread block evaluates. Each group
// has a list of its nodes; its tets name nodes by indices into this list. Arrays of tets are stored as
// [group][number][tet of the group], so that neighbouring threads load neighbouring numbers.
typedef struct Data {
  int tet_count, tet_blocks;  // number of tets of the mesh, and number of groups of TETS tets
  // chunk_tets: largest number of tets of a chunk, a range of tets whose records are in memory at one time.
  // chunk_count: number of chunks.
  int chunk_tets, chunk_count;
  Chunk *chunk;     // [chunk_count], the chunks of tets; on the host
  int *node_start;  // [tet_blocks + 1], index in `node` of each block's first node
  int *node;        // nodes of each block's tets, each once, one block after the other
  // [tet_blocks][ELEMENT_NODES][TETS], nodes of each tet, as indices into the nodes of its group of TETS tets
  uint16_t *block_node;
  real *supplemental;  // [tet_blocks][ELEMENT_SUPPLEMENTAL][TETS], the constants S(e) of the tets
  // The records of a chunk's tets. matrix_records [chunk_tets][RECORD_STRIDE]: the matrices. vector_records
  // [chunk_tets][ELEMENT_DOF]: the vectors.
  real *matrix_records, *vector_records;
  // pairs: lists of the terms of each off-diagonal block. nodes: lists of the terms of each diagonal block and force.
  ListsDev pairs, nodes;
  // [lists of `pairs`], for each pair of nodes: the positions of its block, and of the transposed block, in the array
  // of matrix values
  PairSlots *pair_slots;
  // [lists of `nodes`], for each node: the position of its force in the vector, and of its diagonal block in the array
  // of matrix values
  DiagonalSlots *diagonal_slots;
  // true if the matrix stores its diagonal entries before all others
  bool diagonal_first;
} Data;

// Arguments of the kernels for one body. Arrays are on the device.
typedef struct Work {
  Data d;
  const real *nodal;              // [node_count][ELEMENT_NODE_DATA], nodal data, such as displacements
  real *vector, *matrix, *min_J;  // outputs; min_J [tet_blocks]: the smallest det F in each group of TETS tets
  ElementParameters parameters;
  const int *wanted;  // if *wanted is 0, the kernels skip this body; NULL: they never do
} Work;

// Returns the arguments of the body that a thread block processes: `one` or, if `many` is not NULL, many[blockIdx.y].
static __device__ __forceinline__ const Work &work_of(const Work &one, const Work *many) {
  return many ? many[blockIdx.y] : one;
}

static __device__ __forceinline__ bool is_wanted(const Work &work) {
  return !work.wanted || *work.wanted;
}

// Returns the index of the first value of block (a, b) in the matrix of a tet's record. a and b are numbers of the
// tet's nodes, 0 to ELEMENT_NODES - 1, with a <= b. The record has no blocks with a > b, since the matrix is symmetric.
static __device__ int record_pair(int a, int b) {
  return symmetric_index(ELEMENT_NODES, a, b) * PAIR_VALUES;
}

// A record and the element matrix A_e have the same numbers in different orders. A_e is stored as the upper triangle of
// the matrix, row by row; the record stores block by block. Returns the index in A_e of the number at index `value` of
// a record's matrix.
static __device__ int record_source(int value) {
  const int pair = value / PAIR_VALUES, row = value % PAIR_VALUES / ELEMENT_NODE_DOF, k = value % ELEMENT_NODE_DOF;
  int a = 0;
  while (symmetric_index(ELEMENT_NODES, a + 1, a + 1) <= pair && a + 1 < ELEMENT_NODES) a++;
  const int b = a + pair - symmetric_index(ELEMENT_NODES, a, a);
  return symmetric_index(ELEMENT_DOF, ELEMENT_NODE_DOF * a + row, ELEMENT_NODE_DOF * b + k);
}

// The kernel for tets: computes their records (matrices and vectors), and the smallest determinant of the deformation
// gradient in each group of TETS tets. Thread block k processes group first_block + k.
template <bool WITH_MATRIX>
static __global__ void __launch_bounds__(TETS)
    element_kernel(const __grid_constant__ Work one, const Work *many, int first_block) {
  // nodal: first the nodal data, later the tets' vectors. stage: the tets' matrices.
  __shared__ real nodal[NODAL_CAPACITY];
  __shared__ real stage[WITH_MATRIX && STAGED ? TETS * STAGE_STRIDE : 1];
  __shared__ real warp_min[TETS / 32];
  const Work &work = work_of(one, many);
  if (!is_wanted(work)) return;
  const Data &d = work.d;
  const real *__restrict__ data = work.nodal;
  const ElementParameters parameters = work.parameters;
  const int block = first_block + blockIdx.x, thread = threadIdx.x, e = block * TETS + thread;
  const size_t first_record = (size_t)blockIdx.x * TETS;

  // Load the nodal data of each node of the thread block's tets once.
  const int first = d.node_start[block], values = (d.node_start[block + 1] - first) * ELEMENT_NODE_DATA;
  for (int v = thread; v < values; v += TETS)
    nodal[v] = data[d.node[first + v / ELEMENT_NODE_DATA] * ELEMENT_NODE_DATA + v % ELEMENT_NODE_DATA];
  __syncthreads();

  // Evaluate this thread's tet: its vector F_e and its matrix.
  real J = CUDART_INF_F, F_e[ELEMENT_DOF];
  if (e < d.tet_count) {
    real data_e[ELEMENT_NODES * ELEMENT_NODE_DATA], S[ELEMENT_SUPPLEMENTAL_CAPACITY];
    const uint16_t *local = d.block_node + (size_t)block * ELEMENT_NODES * TETS + thread;
    const real *s = d.supplemental + (size_t)block * ELEMENT_SUPPLEMENTAL * TETS + thread;
#pragma unroll
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) S[k] = s[k * TETS];
#pragma unroll
    for (int a = 0; a < ELEMENT_NODES; a++) {
      const int at = local[a * TETS] * ELEMENT_NODE_DATA;
#pragma unroll
      for (int i = 0; i < ELEMENT_NODE_DATA; i++) data_e[a * ELEMENT_NODE_DATA + i] = nodal[at + i];
    }
    if constexpr (WITH_MATRIX && !STAGED) {
      real A_e[ELEMENT_MATRIX], *record = d.matrix_records + (first_record + thread) * RECORD_STRIDE;
      J = element_evaluate(data_e, S, &parameters, F_e, A_e);
      for (int v = 0; v < ELEMENT_MATRIX; v++) record[v] = A_e[v];
    } else {
      J = element_evaluate(data_e, S, &parameters, F_e, WITH_MATRIX ? stage + thread * STAGE_STRIDE : NULL);
    }
    if (J != J) J = -CUDART_INF_F;
  }
  __syncthreads();  // all threads have read `nodal`
  if (e < d.tet_count) {
#pragma unroll
    for (int k = 0; k < ELEMENT_DOF; k++) nodal[thread * ELEMENT_DOF + k] = F_e[k];
  }

  // Find the smallest J of the TETS tets. The order of the comparisons does not affect the result.
  for (int step = 16; step > 0; step /= 2) J = min(J, __shfl_xor_sync(0xffffffff, J, step));
  if (thread % 32 == 0) warp_min[thread / 32] = J;
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < TETS / 32; w++) J = min(J, warp_min[w]);
    work.min_J[block] = J;
  }

  // Write the records, with coalesced writes. A warp writes the matrix of one tet at a time.
  const int tets = min(TETS, d.tet_count - block * TETS), lane = thread % 32;
  real *out = d.vector_records + first_record * ELEMENT_DOF;
  for (int k = thread; k < tets * ELEMENT_DOF; k += TETS) out[k] = nodal[k];
  if constexpr (WITH_MATRIX && STAGED) {
    enum { TURNS = (RECORD + 31) / 32 };
    int from[TURNS];  // for each value of a record that this lane writes: its index in the element matrix
#pragma unroll
    for (int t = 0; t < TURNS; t++) from[t] = lane + 32 * t < RECORD ? record_source(lane + 32 * t) : -1;
    out = d.matrix_records + first_record * RECORD_STRIDE + lane;
#pragma unroll 4
    for (int tet = thread / 32; tet < tets; tet += TETS / 32)
#pragma unroll
      for (int t = 0; t < TURNS; t++)
        if (from[t] >= 0) out[tet * RECORD_STRIDE + 32 * t] = stage[tet * STAGE_STRIDE + from[t]];
  }
}

// The kernel for pairs: sums the block of each pair of nodes along a list. An item of the list, a source, names a tet e
// and two of its nodes a and b: (e * ELEMENT_NODES + a) * ELEMENT_NODES + b. If a > b, the record has only block (b,
// a), which is read transposed. A source >= `carry` stands for the sum that an earlier chunk of tets has stored in the
// matrix.
static __global__ void __launch_bounds__(PAIR_WORKERS *ELEMENT_NODE_DOF)
    pair_reduction_kernel(const __grid_constant__ Work one, const Work *many, int first_block) {
  const Work &work = work_of(one, many);
  if (!is_wanted(work)) return;
  const Data &d = work.d;
  real *__restrict__ matrix = work.matrix;
  const int list_block = first_block + blockIdx.x;
  const int worker = threadIdx.x / ELEMENT_NODE_DOF, row = threadIdx.x % ELEMENT_NODE_DOF;
  const real *__restrict__ records = d.matrix_records;
  const PairSlots *__restrict__ slots = d.pair_slots + (size_t)list_block * PAIR_TARGETS;
  const unsigned carry = chunk_carry(ELEMENT_NODES * ELEMENT_NODES, d.chunk_tets);
  reduce<ELEMENT_NODE_DOF>(
      d.pairs, list_block, PAIR_WORKERS, worker,
      [=](unsigned source, real *value) {
        if (source >= carry) {
          load_row<ELEMENT_NODE_DOF>(load_slots(slots, source - carry), row, matrix, value);
          return;
        }
        const unsigned e = source / (ELEMENT_NODES * ELEMENT_NODES);
        const int a = source / ELEMENT_NODES % ELEMENT_NODES, b = source % ELEMENT_NODES;
        const real *record = records + (size_t)e * RECORD_STRIDE;
        if constexpr (STAGED) {
          const real *block = record + record_pair(a, b);
          const int first = a <= b ? row * ELEMENT_NODE_DOF : row, step = a <= b ? 1 : ELEMENT_NODE_DOF;
#pragma unroll
          for (int k = 0; k < ELEMENT_NODE_DOF; k++) value[k] = block[first + k * step];
        } else {
#pragma unroll
          for (int k = 0; k < ELEMENT_NODE_DOF; k++)
            value[k] = record[symmetric_index(ELEMENT_DOF, ELEMENT_NODE_DOF * a + row, ELEMENT_NODE_DOF * b + k)];
        }
      },
      [=](int target) { return load_slots(slots, target); },
      [=](const PairSlots &to, const real *sum) { store_row<ELEMENT_NODE_DOF>(to, row, sum, matrix); });
}

// Loads the indices at which the force and the diagonal block of a node are stored, by one load of 16 bytes. Without a
// matrix, only the node's number is loaded.
template <bool WITH_MATRIX>
static __device__ __forceinline__ DiagonalSlots load_node(const DiagonalSlots *__restrict__ slots, int list) {
  static_assert(sizeof(DiagonalSlots) == sizeof(int4), "the slots are read by one load of 16 bytes");
  if (!WITH_MATRIX) return { slots[list].node, {} };
  const int4 at = ((const int4 *)slots)[list];
  return { at.x, { at.y, at.z, at.w } };
}

template <bool WITH_MATRIX>
static __global__ void __launch_bounds__(NODE_WORKERS *ELEMENT_NODE_DOF)
    node_reduction_kernel(const __grid_constant__ Work one, const Work *many, int first_block) {
  enum { VALUES = WITH_MATRIX ? 1 + ELEMENT_NODE_DOF : 1 };
  const Work &work = work_of(one, many);
  if (!is_wanted(work)) return;
  const Data &d = work.d;
  real *__restrict__ vector = work.vector, *__restrict__ matrix = work.matrix;
  const int worker = threadIdx.x / ELEMENT_NODE_DOF, row = threadIdx.x % ELEMENT_NODE_DOF;
  const real *__restrict__ vectors = d.vector_records, *__restrict__ matrices = d.matrix_records;
  const int list_block = first_block + blockIdx.x;
  const DiagonalSlots *__restrict__ slots = d.diagonal_slots + (size_t)list_block * NODE_TARGETS;
  const unsigned carry = chunk_carry(ELEMENT_NODES, d.chunk_tets);
  const bool diagonal_first = d.diagonal_first;
  reduce<VALUES>(
      d.nodes, list_block, NODE_WORKERS, worker,
      [=](unsigned source, real *value) {
        if (source >= carry) {
          const DiagonalSlots to = load_node<WITH_MATRIX>(slots, source - carry);
          value[0] = vector[to.node * ELEMENT_NODE_DOF + row];
          if (WITH_MATRIX)
#pragma unroll
            for (int k = 0; k < ELEMENT_NODE_DOF; k++)
              value[1 + k] = matrix[diagonal_block_slot(to.block, diagonal_first, ELEMENT_NODE_DOF, to.node, row, k)];
          return;
        }
        const unsigned e = source / ELEMENT_NODES;
        const int a = source % ELEMENT_NODES;
        value[0] = vectors[(size_t)source * ELEMENT_NODE_DOF + row];
        if (WITH_MATRIX)
#pragma unroll
          for (int k = 0; k < ELEMENT_NODE_DOF; k++)
            value[1 + k] =
                matrices[(size_t)e * RECORD_STRIDE +
                         (STAGED ? record_pair(a, a) + row * ELEMENT_NODE_DOF + k
                                 : symmetric_index(ELEMENT_DOF, ELEMENT_NODE_DOF * a + row, ELEMENT_NODE_DOF * a + k))];
      },
      [=](int target) { return load_node<WITH_MATRIX>(slots, target); },
      [=](const DiagonalSlots &to, const real *sum) {
        vector[to.node * ELEMENT_NODE_DOF + row] = sum[0];
        if (WITH_MATRIX)
#pragma unroll
          for (int k = 0; k < ELEMENT_NODE_DOF; k++)
            matrix[diagonal_block_slot(to.block, diagonal_first, ELEMENT_NODE_DOF, to.node, row, k)] = sum[1 + k];
      });
}

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  void *arrays[] = { d->node_start,     d->node,           d->block_node, d->supplemental,
                     d->matrix_records, d->vector_records, d->pair_slots, d->diagonal_slots };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free_lists(&d->pairs);
  free_lists(&d->nodes);
  free(d->chunk);
  free(d);
}

// Builds three arrays for each group of TETS tets and copies them to the device: a list of the group's nodes; the nodes
// of each tet, as indices into this list; the constants S(e) of each tet.
static bool create_element_arrays(Data *d, const Space *space, Error *error) {
  const size_t padded = (size_t)d->tet_blocks * TETS;
  std::vector<int> node_start(1, 0), nodes;
  std::vector<uint16_t> block_node(padded * ELEMENT_NODES, 0);
  std::vector<real> supplemental(padded * ELEMENT_SUPPLEMENTAL, 0);
  std::vector<int> seen((size_t)space->node_count, -1), number((size_t)space->node_count);
  for (int block = 0; block < d->tet_blocks; block++) {
    const int first = block * TETS, last = first + TETS < d->tet_count ? first + TETS : d->tet_count;
    for (int e = first; e < last; e++) {
      real S[ELEMENT_SUPPLEMENTAL_CAPACITY];
      for (int a = 0; a < ELEMENT_NODES; a++) {
        const int node = space_cell(space, e)[a];
        if (seen[node] != block) {
          seen[node] = block;
          number[node] = (int)nodes.size() - node_start.back();
          nodes.push_back(node);
        }
        block_node[((size_t)block * ELEMENT_NODES + a) * TETS + (e - first)] = (uint16_t)number[node];
      }
      element_supplemental(space, e, S);
      for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++)
        supplemental[((size_t)block * ELEMENT_SUPPLEMENTAL + k) * TETS + (e - first)] = S[k];
    }
    node_start.push_back((int)nodes.size());
  }
  return put(&d->node_start, node_start, error) && put(&d->node, nodes, error) &&
         put(&d->block_node, block_node, error) && put(&d->supplemental, supplemental, error);
}

// Packs lists for thread blocks of `threads` workers, and copies them to the device.
static bool put_lists(ListsDev *dev, const ChunkLists *lists, int threads, Error *error) {
  PackedLists packed = {};
  const bool ok = packed_lists_create(&packed, lists->block_count, lists->block_list, lists->item_start, lists->item,
                                      threads, REDUCE_BATCH, HEAD_LAST, error) &&
                  put_packed(dev, &packed, error);
  packed_lists_destroy(&packed);
  return ok;
}

// Builds a list for each pair of nodes: the terms whose sum is the pair's block. Also stores the indices of each block
// in the matrix. Copies the lists and the indices to the device.
static bool put_pairs(Data *d, const NodePairs *p, Error *error) {
  ChunkLists lists = {};
  static_assert(sizeof(PairSlots) == sizeof *p->slots,
                "PairSlots must have the size of the two BlockSlots of a pair of nodes");
  if (!chunk_lists_create(&lists, p->start[p->node_count], p->tet_start, p->source, ELEMENT_NODES * ELEMENT_NODES,
                          d->tet_count, d->chunk_tets, PAIR_TARGETS, error))
    return false;
  std::vector<PairSlots> slots((size_t)lists.block_count * PAIR_TARGETS);
  for (size_t k = 0; k < slots.size(); k++)
    if (lists.target[k] >= 0) slots[k] = { p->slots[lists.target[k]][0], p->slots[lists.target[k]][1] };
  for (int c = 0; c < d->chunk_count; c++)
    d->chunk[c].pairs = lists.block_start[c], d->chunk[c].pair_blocks = lists.block_start[c + 1] - lists.block_start[c];
  const bool ok = put(&d->pair_slots, slots, error) && put_lists(&d->pairs, &lists, PAIR_WORKERS, error);
  chunk_lists_destroy(&lists);
  return ok;
}

// Builds a list for each node: the terms whose sums are its force and its diagonal block. Also stores the indices at
// which these sums are stored. Copies the lists and the indices to the device.
static bool put_nodes(Data *d, const NodePairs *p, Error *error) {
  ChunkLists lists = {};
  if (!chunk_lists_create(&lists, p->node_count, p->node_start, p->node_source, ELEMENT_NODES, d->tet_count,
                          d->chunk_tets, NODE_TARGETS, error))
    return false;
  std::vector<DiagonalSlots> slots((size_t)lists.block_count * NODE_TARGETS);
  for (size_t k = 0; k < slots.size(); k++)
    if (lists.target[k] >= 0) slots[k] = { lists.target[k], p->diagonal_slots[lists.target[k]] };
  for (int c = 0; c < d->chunk_count; c++)
    d->chunk[c].nodes = lists.block_start[c], d->chunk[c].node_blocks = lists.block_start[c + 1] - lists.block_start[c];
  const bool ok = put(&d->diagonal_slots, slots, error) && put_lists(&d->nodes, &lists, NODE_WORKERS, error);
  chunk_lists_destroy(&lists);
  return ok;
}

static bool create_reductions(Data *d, const Space *space, const Operator *layout, Error *error) {
  NodePairs p = {};
  if (!node_pairs_create(&p, space, layout, error)) return false;
  d->diagonal_first = layout->method->diagonal_first;
  const bool ok = put_pairs(d, &p, error) && put_nodes(d, &p, error);
  node_pairs_destroy(&p);
  return ok;
}

// Returns the number of cells of a chunk. The records (vectors and matrices) of a chunk's cells must fit into `budget`
// bytes. Returns 0, with an error, if the budget is too small. A wave is the thread blocks that the GPU runs at the
// same time. If matrices do not fit into shared memory, evaluation takes most of the time, and record_chunk_cells
// avoids partly filled waves. `wave` = 1 turns this off.
static int chunk_cells(int cells, double budget, Error *error) {
  int blocks = 0;  // number of thread blocks that run on a multiprocessor at the same time
  if (!STAGED && budget > 0) cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, element_kernel<true>, TETS, 0);
  const int wave = blocks > 0 ? blocks * device_multiprocessors(DEVICE_CUDA) : 1;
  return record_chunk_cells(cells, TETS, wave, RECORD_BYTES, budget, error);
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  if (!d) return false;
  d->tet_count = space->cell_count;
  d->tet_blocks = (space->cell_count + TETS - 1) / TETS;
  d->chunk_tets = chunk_cells(d->tet_count, assembly->budget, error);
  if (d->chunk_tets == 0) return false;
  d->chunk_count = (d->tet_count - 1) / d->chunk_tets + 1;
  if (d->chunk_count > 1) assembly->chunk_count = d->chunk_count;
  d->chunk = (Chunk *)array_new(d->chunk_count, sizeof *d->chunk, "chunks", error);
  if (!d->chunk) return false;
  const int blocks = (d->chunk_tets + TETS - 1) / TETS;
  for (int c = 0; c < d->chunk_count; c++) {
    d->chunk[c].tets = c * blocks;
    d->chunk[c].tet_blocks = c + 1 < d->chunk_count ? blocks : d->tet_blocks - c * blocks;
  }
  assembly->min_J_count = d->tet_blocks;
  assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)d->tet_blocks, error);
  const size_t records = (size_t)d->chunk_tets;
  d->matrix_records = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * records * RECORD_STRIDE, error);
  d->vector_records = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * records * ELEMENT_DOF, error);
  return assembly->min_J && d->matrix_records && d->vector_records && create_element_arrays(d, space, error) &&
         create_reductions(d, space, assembly->layout, error);
}

static Work work_for(const Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values) {
  const Data *d = (const Data *)assembly->data;
  const Work work = { *d,
                      (const real *)nodal,
                      (real *)F,
                      (real *)values,
                      (real *)assembly->min_J,
                      element_parameters(p->material, p->vector_scale, p->matrix_scale),
                      NULL };
  return work;
}

// Queues the kernels of one chunk of tets for `count` bodies with the arguments `many` or, if it is NULL, for one body
// with the arguments `one`.
static bool queue_chunk(const Chunk *c, const Work *one, const Work *many, int count, bool with_matrix, Stream stream,
                        Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  const auto elements = with_matrix ? element_kernel<true> : element_kernel<false>;
  const auto nodes = with_matrix ? node_reduction_kernel<true> : node_reduction_kernel<false>;
  elements<<<dim3(c->tet_blocks, count), TETS, 0, s>>>(*one, many, c->tets);
  CUDA_TRY(cudaGetLastError());
  if (with_matrix) {
    pair_reduction_kernel<<<dim3(c->pair_blocks, count), PAIR_WORKERS * ELEMENT_NODE_DOF, 0, s>>>(*one, many, c->pairs);
    CUDA_TRY(cudaGetLastError());
  }
  nodes<<<dim3(c->node_blocks, count), NODE_WORKERS * ELEMENT_NODE_DOF, 0, s>>>(*one, many, c->nodes);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  const Data *d = (const Data *)assembly->data;
  const Work work = work_for(assembly, p, nodal, F, values);
  for (const Chunk *c = d->chunk; c < d->chunk + d->chunk_count; c++)
    if (!queue_chunk(c, &work, NULL, 1, values != NULL, stream, error)) return false;
  return true;
}

static void prepare_many(const Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F,
                         void *values, const int *wanted, void *arguments) {
  Work *work = (Work *)arguments;
  *work = work_for(assembly, p, nodal, F, values);
  work->wanted = wanted;
}

static bool assemble_many(const Assembly *one, const void *arguments, int count, bool with_matrix, Stream stream,
                          Error *error) {
  const Data *d = (const Data *)one->data;
  const Work unused = {};
  return queue_chunk(d->chunk, &unused, (const Work *)arguments, count, with_matrix, stream, error);
}

static const AssemblyMany many = { sizeof(Work), prepare_many, assemble_many };

// Estimates the bytes of this assembly's arrays, and the bytes that it reads and writes each time it runs. This is the
// function Stage.bytes.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes, P = size->pairs;
  const double tet = 4 * ELEMENT_NODES + size->supplemental * sizeof(real) + 4 * (ELEMENT_NODES + LOCAL_PAIRS);
  Error refused = {};  // the error is ignored here; creating the assembly reports it
  const double records = (double)RECORD_BYTES * chunk_cells((int)T, size->budget, &refused);
  StageBytes bytes = stage_takes(stage, T * tet + records + 24 * P + 16 * V);
  bytes.on[DEVICE_CPU] = T * 104 + 60 * P;  // memory for the lists while the host builds them
  // Bytes of each pass. The kernel for tets reads tets and nodal data, and writes records. The kernel for pairs reads
  // records, and writes each block and its transpose. The kernel for nodes reads records, and writes the vector and the
  // diagonal blocks. Padding of lists is not counted.
  const double read = T * (8 + size->supplemental * sizeof(real)) + V * ELEMENT_NODE_DATA * sizeof(real);
  const double vectors = T * ELEMENT_DOF * sizeof(real), diagonal = T * ELEMENT_NODES * PAIR_VALUES * sizeof(real);
  const double pairs = T * RECORD * sizeof(real) - diagonal;
  const double F = V * ELEMENT_NODE_DOF * sizeof(real), block = PAIR_VALUES * sizeof(real);
  stage_pass(stage, &bytes, WORK_VECTOR, read, vectors);
  stage_pass(stage, &bytes, WORK_VECTOR, vectors + 16 * T + 4 * V, F);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, read, vectors + pairs + diagonal);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, pairs + 24 * T + 28 * P, 2 * P * block);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, vectors + diagonal + 16 * T + 16 * V, F + V * block);
  return bytes;
}

extern "C" {
extern const AssemblyMethod ELEMENT_ROW(globalnz);
const AssemblyMethod ELEMENT_ROW(globalnz) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "globalnz",
             .summary = "writes element matrices to GPU memory, then sums them",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
  .chunks = true,
  .many = &many,
};
}

}  // namespace globalnz_assembly
