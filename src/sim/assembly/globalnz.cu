// Assembly "globalnz" (paper 000, section 16.3.1): writes the tets' matrices to global memory, then sums each block of
// the system's matrix from them. It has two kinds of kernels:
//   elements   One thread evaluates each tet and writes its record, the tet's matrix and vector, to global memory.
//   reduction  Sums blocks of the records along lists (packed_lists.h), in one launch for pairs of nodes and one for
//              nodes (node_pairs.h). A block is the submatrix of two nodes. A worker, 3 threads for a solid, processes
//              one list at a time; each thread sums one row of the block.
// The records are in two arrays (element_records.cuh): vectors [tet][ELEMENT_DOF], and matrices. For tets of 4 nodes,
// matrices are [tet][pairs (a, b) of its nodes with a <= b][values of a block]. For larger tets (STAGED false), a
// record has the element matrix as the element computes it: the upper triangle, row by row. Under a memory budget, both
// kinds of kernels run for one chunk of tets after the other; the result has the same bits as without a budget
// (record_chunks.h).
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/assembly/element_records.cuh"
#include "sim/assembly/node_pairs.h"
#include "sim/assembly/record_chunks.h"

namespace globalnz_assembly {

enum {
  TETS = RECORD_TETS,      // number of tets, and of threads, of a thread block of the element kernel
  STAGED = RECORD_STAGED,  // true: the element kernel writes the matrices of records from shared memory
  // PAIR_VALUES: number of values of the block of two nodes, 9 for a solid. LOCAL_PAIRS: number of pairs (a, b) of a
  // tet's nodes with a <= b. RECORD: number of values of the matrix in a record.
  PAIR_VALUES = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF,
  LOCAL_PAIRS = ELEMENT_NODES * (ELEMENT_NODES + 1) / 2,
  RECORD = LOCAL_PAIRS * PAIR_VALUES,
  // distance between the matrices of two records, in reals: a multiple of 8, so that each matrix begins at a 32-byte
  // sector of memory
  RECORD_STRIDE = (RECORD + 7) / 8 * 8,
  RECORD_BYTES = sizeof(real) * (RECORD_STRIDE + ELEMENT_DOF),  // bytes of a record, the matrix and the vector of a tet
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

// Arrays on the device.
typedef struct Data {
  ElementRecords elements;  // the tets and their records
  // chunk_tets: largest number of tets of a chunk, a range of tets whose records are in memory at one time.
  // chunk_count: number of chunks.
  int chunk_tets, chunk_count;
  Chunk *chunk;  // [chunk_count], the chunks of tets; on the host
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
  const int *wanted;  // if *wanted is 0, the kernels skip this body; NULL: they never skip it
} Work;

// Returns the arguments of the body that a thread block processes: `one` or, if `many` is not NULL, many[blockIdx.y].
static __device__ __forceinline__ const Work &work_of(const Work &one, const Work *many) {
  return many ? many[blockIdx.y] : one;
}

static __device__ __forceinline__ bool is_wanted(const Work &work) {
  return !work.wanted || *work.wanted;
}

static __device__ __forceinline__ const ElementRecords &records_of(const Work &work) {
  return work.d.elements;
}

// Returns the index of the first value of block (a, b) in the matrix of a tet's record. a and b are numbers of the
// tet's nodes, 0 to ELEMENT_NODES - 1, with a <= b. The record has no blocks with a > b, since the matrix is symmetric.
static __device__ int record_pair(int a, int b) {
  return symmetric_index(ELEMENT_NODES, a, b) * PAIR_VALUES;
}

// Order of the values in the matrix of a record: block by block (element_records.cuh).
struct BlockLayout {
  enum { VALUES = RECORD, STRIDE = RECORD_STRIDE };
  static __device__ int source(int value) {
    const int pair = value / PAIR_VALUES, row = value % PAIR_VALUES / ELEMENT_NODE_DOF, k = value % ELEMENT_NODE_DOF;
    int a = 0;
    while (symmetric_index(ELEMENT_NODES, a + 1, a + 1) <= pair && a + 1 < ELEMENT_NODES) a++;
    const int b = a + pair - symmetric_index(ELEMENT_NODES, a, a);
    return symmetric_index(ELEMENT_DOF, ELEMENT_NODE_DOF * a + row, ELEMENT_NODE_DOF * b + k);
  }
};

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
  const real *__restrict__ records = d.elements.matrices;
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

// Loads the indices at which the force and the diagonal block of a node are stored, by one load of 16 bytes. If only
// the vector is computed, only the node's number is loaded.
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
  const real *__restrict__ vectors = d.elements.vectors, *__restrict__ matrices = d.elements.matrices;
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
  element_records_destroy(&d->elements);
  device_free(DEVICE_CUDA, d->pair_slots);
  device_free(DEVICE_CUDA, d->diagonal_slots);
  free_lists(&d->pairs);
  free_lists(&d->nodes);
  free(d->chunk);
  free(d);
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
                          d->elements.tet_count, d->chunk_tets, PAIR_TARGETS, error))
    return false;
  std::vector<PairSlots> slots((size_t)lists.block_count * PAIR_TARGETS);
  for (size_t k = 0; k < slots.size(); k++)
    if (lists.target[k] >= 0) slots[k] = { p->slots[lists.target[k]][0], p->slots[lists.target[k]][1] };
  for (int c = 0; c < d->chunk_count; c++) {
    d->chunk[c].pairs = lists.block_start[c];
    d->chunk[c].pair_blocks = lists.block_start[c + 1] - lists.block_start[c];
  }
  const bool ok = put(&d->pair_slots, slots, error) && put_lists(&d->pairs, &lists, PAIR_WORKERS, error);
  chunk_lists_destroy(&lists);
  return ok;
}

// Builds a list for each node: the terms whose sums are its force and its diagonal block. Also stores the indices at
// which these sums are stored. Copies the lists and the indices to the device.
static bool put_nodes(Data *d, const NodePairs *p, Error *error) {
  ChunkLists lists = {};
  if (!chunk_lists_create(&lists, p->node_count, p->node_start, p->node_source, ELEMENT_NODES, d->elements.tet_count,
                          d->chunk_tets, NODE_TARGETS, error))
    return false;
  std::vector<DiagonalSlots> slots((size_t)lists.block_count * NODE_TARGETS);
  for (size_t k = 0; k < slots.size(); k++)
    if (lists.target[k] >= 0) slots[k] = { lists.target[k], p->diagonal_slots[lists.target[k]] };
  for (int c = 0; c < d->chunk_count; c++) {
    d->chunk[c].nodes = lists.block_start[c];
    d->chunk[c].node_blocks = lists.block_start[c + 1] - lists.block_start[c];
  }
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
// same time; record_chunk_cells can choose chunks that avoid partly filled waves. This is worthwhile if a tet's matrix
// does not fit into shared memory, because the evaluation of tets then takes most of the time. Otherwise `wave` = 1
// turns it off.
static int chunk_cells(int cells, double budget, Error *error) {
  int blocks = 0;  // number of thread blocks that run on a multiprocessor at the same time
  if (!STAGED && budget > 0)
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, element_kernel<true, BlockLayout, Work>, TETS, 0);
  const int wave = blocks > 0 ? blocks * device_multiprocessors(DEVICE_CUDA) : 1;
  return record_chunk_cells(cells, TETS, wave, RECORD_BYTES, budget, error);
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  if (!d) return false;
  const int tet_blocks = (space->cell_count + TETS - 1) / TETS;
  d->chunk_tets = chunk_cells(space->cell_count, assembly->budget, error);
  if (d->chunk_tets == 0) return false;
  d->chunk_count = (space->cell_count - 1) / d->chunk_tets + 1;
  if (d->chunk_count > 1) assembly->chunk_count = d->chunk_count;
  d->chunk = (Chunk *)array_new(d->chunk_count, sizeof *d->chunk, "chunks", error);
  if (!d->chunk) return false;
  const int blocks = (d->chunk_tets + TETS - 1) / TETS;
  for (int c = 0; c < d->chunk_count; c++) {
    d->chunk[c].tets = c * blocks;
    d->chunk[c].tet_blocks = c + 1 < d->chunk_count ? blocks : tet_blocks - c * blocks;
  }
  assembly->min_J_count = tet_blocks;
  assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)tet_blocks, error);
  return assembly->min_J && element_records_create(&d->elements, space, d->chunk_tets, RECORD_STRIDE, error) &&
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
  const auto elements =
      with_matrix ? element_kernel<true, BlockLayout, Work> : element_kernel<false, BlockLayout, Work>;
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
