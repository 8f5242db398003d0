// Assemblies "globalnz_entries", "globalnz_symmetric" and "globalnz_product": variants of "globalnz" that sum each
// entry of the system separately, as paper 000 does (section 16.3.1). They exist for comparisons. "globalnz" sums
// blocks, the submatrices of two nodes, and stores each sum twice, since the matrix is symmetric.
//
// All variants first write the matrix and the vector of each tet to global memory (element_records.cuh). A second
// kernel then computes the arrays of the system, the matrix values and the vector. Each entry of an array is the sum of
// numbers of the records, its terms (entry_lists.h). The variants differ in this kernel:
//   globalnz_entries    A thread block computes a range of an array in shared memory. Each thread sums along lists
//                       (packed_lists.h). The thread block then writes the range to global memory, with coalesced
//                       writes. So it also writes the zeros with which some matrix formats fill up short rows.
//   globalnz_symmetric  As globalnz_entries, but of two entries (i, k) and (k, i), only one is summed. The sum is
//                       written to the places of both, so one half of the writes is not coalesced. If the matrix
//                       format fills up short rows, zeros are first written to the whole array.
//   globalnz_product    The array is a product S G. The vector G has the numbers of all records, and the entries of the
//                       sparse matrix S are 0 or 1. S is stored by compressed rows, with its values.
#include <stdlib.h>

#include <type_traits>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/assembly/element_records.cuh"
#include "sim/assembly/entry_lists.h"
#include "sim/operator/formats/apply.cuh"

namespace globalnz_entries_assembly {

enum {
  TETS = RECORD_TETS,  // number of tets, and of threads, of a thread block of the element kernel
  THREADS = 256,       // number of threads of a thread block that sums along lists
  // length of the range of an array that a thread block of the second kernel computes
  TARGETS = 2048,
  BATCH = 8,                          // number of list entries that a thread loads together
  LANES = 4,                          // number of threads that compute one row of the product S G
  PRODUCT_ROWS = APPLY_BLOCK / LANES  // number of rows of S G that a thread block computes
};
static_assert(RECORD_STAGED, "the records of larger elements have another order");

// Order of the values in the matrix of a record: the upper triangle row by row, as in the element matrix. The distance
// of two matrices is a multiple of 8, so that each matrix begins at a 32-byte sector of memory.
struct TriangleLayout {
  enum { VALUES = ELEMENT_MATRIX, STRIDE = (ELEMENT_MATRIX + 7) / 8 * 8 };
  static __device__ int source(int value) {
    return value;
  }
};

// The lists of all entries of one array, for globalnz_entries. Each thread block has the lists of a range of TARGETS
// entries.
typedef struct PackedSums {
  int count, block_count;  // count: number of entries of the array. block_count: number of thread blocks.
  ListsDev lists;
} PackedSums;

// The lists of one array, for globalnz_symmetric. The sum of list t is stored at slot[t].x and slot[t].y of the array.
typedef struct MirroredSums {
  int count, block_count;  // as those of `packed`
  PackedSums packed;
  int2 *slot;       // [count]; NULL: sum t is stored at index t, as for the vector
  int64_t to_zero;  // number of values of the array, which must be set to 0 first; 0: all are written anyway
} MirroredSums;

// The matrix S of one array, for globalnz_product, in compressed rows. Row r has the columns column[row_start[r]] to
// column[row_start[r + 1] - 1]; they are the indices of the terms of entry r.
typedef struct ProductSums {
  // count: number of entries of the array, equal to the number of rows of S. block_count: number of thread blocks.
  int count, block_count;
  int *row_start;  // [count + 1]
  int *column;     // [row_start[count]]
  real *ones;      // [row_start[count]], the values of S
} ProductSums;

// Data of an assembly. Sums is PackedSums, MirroredSums or ProductSums.
template <typename Sums>
struct Data {
  ElementRecords elements;  // the tets and their records
  Sums vector, matrix;      // the terms of each entry of the vector, and of each matrix value
};

// Arguments of the kernel for tets (element_records.cuh).
typedef struct Work {
  ElementRecords elements;
  const real *nodal;  // [node_count][ELEMENT_NODE_DATA], nodal data, such as displacements
  ElementParameters parameters;
  real *min_J;  // [groups of TETS tets], output: the smallest det F in each group
} Work;

static __device__ __forceinline__ const Work &work_of(const Work &one, const Work *) {
  return one;
}

static __device__ __forceinline__ bool is_wanted(const Work &) {
  return true;
}

static __device__ __forceinline__ const ElementRecords &records_of(const Work &work) {
  return work.elements;
}

// Sums along the lists of one thread (Algorithm 2 of paper 000). A positive entry k of the lists names the term with
// index k - 1. A negative entry k ends a list; the sum is stored in `sums` at index -k - 1. The thread loads the next
// entries while it sums the present ones.
static __device__ __forceinline__ void sum_lists(const ListsDev &lists, int block, const real *__restrict__ terms,
                                                 real *sums) {
  const int64_t start = lists.start[block];
  const int *__restrict__ column = lists.entries + start + threadIdx.x;
  const int depth = (int)(lists.start[block + 1] - start) / THREADS;
  int next[BATCH];
  real sum = 0;
#pragma unroll
  for (int b = 0; b < BATCH; b++) next[b] = b < depth ? column[b * THREADS] : 0;
  for (int at = 0; at < depth; at += BATCH) {
    int entry[BATCH];
    real value[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
      entry[b] = next[b];
      next[b] = at + BATCH + b < depth ? column[(at + BATCH + b) * THREADS] : 0;
    }
#pragma unroll
    for (int b = 0; b < BATCH; b++) value[b] = entry[b] > 0 ? terms[entry[b] - 1] : (real)0;
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
      sum += value[b];
      if (entry[b] >= 0) continue;
      sums[-entry[b] - 1] = sum;
      sum = 0;
    }
  }
}

// The second kernel of globalnz_entries. The first thread blocks compute the vector F, and the others the array of
// matrix values.
static __global__ void __launch_bounds__(THREADS)
    sum_kernel(const __grid_constant__ Data<PackedSums> d, real *__restrict__ F, real *__restrict__ values) {
  __shared__ real sums[TARGETS];
  const bool for_vector = blockIdx.x < d.vector.block_count;
  const int block = for_vector ? blockIdx.x : blockIdx.x - d.vector.block_count;
  for (int t = threadIdx.x; t < TARGETS; t += THREADS) sums[t] = 0;
  __syncthreads();
  if (for_vector)
    sum_lists(d.vector.lists, block, d.elements.vectors, sums);
  else
    sum_lists(d.matrix.lists, block, d.elements.matrices, sums);
  __syncthreads();
  const int64_t first = (int64_t)block * TARGETS, left = (for_vector ? d.vector.count : d.matrix.count) - first;
  real *__restrict__ to = (for_vector ? F : values) + first;
  for (int t = threadIdx.x; t < TARGETS && t < left; t += THREADS) to[t] = sums[t];
}

// The second kernel of globalnz_symmetric. The first thread blocks compute the vector F, and the others the array of
// matrix values.
static __global__ void __launch_bounds__(THREADS)
    sum_kernel(const __grid_constant__ Data<MirroredSums> d, real *__restrict__ F, real *__restrict__ values) {
  __shared__ real sums[TARGETS];
  const bool for_vector = blockIdx.x < d.vector.block_count;
  const MirroredSums &s = for_vector ? d.vector : d.matrix;
  const int block = for_vector ? blockIdx.x : blockIdx.x - d.vector.block_count;
  for (int t = threadIdx.x; t < TARGETS; t += THREADS) sums[t] = 0;
  __syncthreads();
  sum_lists(s.packed.lists, block, for_vector ? d.elements.vectors : d.elements.matrices, sums);
  __syncthreads();
  const int64_t first = (int64_t)block * TARGETS, left = s.count - first;
  for (int t = threadIdx.x; t < TARGETS && t < left; t += THREADS) {
    if (for_vector) {
      F[first + t] = sums[t];
      continue;
    }
    const int2 slot = s.slot[first + t];
    values[slot.x] = sums[t];
    values[slot.y] = sums[t];
  }
}

// Computes one row of the product S G for each group of LANES threads. terms: the vector G.
static __device__ __forceinline__ void multiply_row(const ProductSums &s, int block, const real *__restrict__ terms,
                                                    real *__restrict__ to) {
  const int row = block * PRODUCT_ROWS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  real sum = 0;
  if (row < s.count) sum = apply_run<LANES>(s.row_start[row] + lane, s.row_start[row + 1], s.column, s.ones, terms);
  for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (row < s.count && lane == 0) to[row] = sum;
}

// The second kernel of globalnz_product. The first thread blocks compute the vector F, and the others the array of
// matrix values.
static __global__ void __launch_bounds__(APPLY_BLOCK)
    sum_kernel(const __grid_constant__ Data<ProductSums> d, real *__restrict__ F, real *__restrict__ values) {
  const int block = blockIdx.x;
  if (block < d.vector.block_count)
    multiply_row(d.vector, block, d.elements.vectors, F);
  else
    multiply_row(d.matrix, block - d.vector.block_count, d.elements.matrices, values);
}

static inline int block_threads(const PackedSums *) {
  return THREADS;
}

static inline int block_threads(const MirroredSums *) {
  return THREADS;
}

static inline int block_threads(const ProductSums *) {
  return APPLY_BLOCK;
}

static void free_sums(PackedSums *s) {
  free_lists(&s->lists);
}

static void free_sums(MirroredSums *s) {
  free_sums(&s->packed);
  device_free(DEVICE_CUDA, s->slot);
}

static void free_sums(ProductSums *s) {
  device_free(DEVICE_CUDA, s->row_start);
  device_free(DEVICE_CUDA, s->column);
  device_free(DEVICE_CUDA, s->ones);
}

// Packs the lists of each range of TARGETS entries, and copies them to the device.
static bool put_sums(PackedSums *s, const EntryLists *lists, Error *error) {
  PackedLists packed = {};
  s->count = lists->count;
  s->block_count = (lists->count - 1) / TARGETS + 1;
  std::vector<int> block_list((size_t)s->block_count + 1);
  for (int block = 0; block < s->block_count; block++) block_list[block] = block * TARGETS;
  block_list[s->block_count] = lists->count;
  const bool ok = packed_lists_create(&packed, s->block_count, block_list.data(), lists->start, lists->source, THREADS,
                                      1, HEAD_LAST, error) &&
                  put_packed(&s->lists, &packed, error);
  packed_lists_destroy(&packed);
  return ok;
}

static bool put_sums(MirroredSums *s, const EntryLists *lists, Error *error) {
  if (!put_sums(&s->packed, lists, error)) return false;
  s->count = s->packed.count;
  s->block_count = s->packed.block_count;
  return true;
}

// Builds the matrix S from the lists, and copies it to the device.
static bool put_sums(ProductSums *s, const EntryLists *lists, Error *error) {
  const int64_t entries = lists->start[lists->count];
  if (entries > INT32_MAX)
    return error_set(error,
                     "the mesh is too large for this assembly method: the matrix S has %lld entries, the limit is %d; "
                     "choose another method (--assembly)",
                     (long long)entries, INT32_MAX);
  s->count = lists->count;
  s->block_count = (lists->count - 1) / PRODUCT_ROWS + 1;
  const std::vector<int> row_start(lists->start, lists->start + lists->count + 1);
  const std::vector<real> ones((size_t)entries, (real)1);
  s->column = (int *)device_clone(DEVICE_CUDA, lists->source, sizeof(int) * (size_t)entries, error);
  return s->column && put(&s->row_start, row_start, error) && put(&s->ones, ones, error);
}

template <typename Sums>
static void destroy_data(Assembly *assembly) {
  Data<Sums> *d = (Data<Sums> *)assembly->data;
  element_records_destroy(&d->elements);
  free_sums(&d->vector);
  free_sums(&d->matrix);
  free(d);
}

// Builds the lists of the array of matrix values.
template <typename Sums>
static bool put_matrix_sums(Sums *s, const Space *space, const Operator *layout, Error *error) {
  EntryLists lists = {};
  const bool ok =
      matrix_entry_lists_create(&lists, space, layout, TriangleLayout::STRIDE, error) && put_sums(s, &lists, error);
  entry_lists_destroy(&lists);
  return ok;
}

static bool put_matrix_sums(MirroredSums *s, const Space *space, const Operator *layout, Error *error) {
  EntryLists lists = {};
  int(*slots)[2];
  bool ok = symmetric_entry_lists_create(&lists, &slots, space, layout, TriangleLayout::STRIDE, error) &&
            put_sums(s, &lists, error);
  if (ok) {
    int64_t written = 0;
    for (int t = 0; t < lists.count; t++) written += slots[t][0] == slots[t][1] ? 1 : 2;
    s->to_zero = written < layout->value_count ? layout->value_count : 0;
    s->slot = (int2 *)device_clone(DEVICE_CUDA, slots, sizeof *slots * (size_t)lists.count, error);
    ok = s->slot;
  }
  free(slots);
  entry_lists_destroy(&lists);
  return ok;
}

// Sets values to 0 that sum_kernel does not write.
static bool clear_padding(const MirroredSums *s, real *values, cudaStream_t stream, Error *error) {
  if (s->to_zero > 0) CUDA_TRY(cudaMemsetAsync(values, 0, sizeof *values * (size_t)s->to_zero, stream));
  return true;
}

template <typename Sums>
static bool clear_padding(const Sums *, real *, cudaStream_t, Error *) {
  return true;
}

// Builds the lists of all entries of the vector and of the array of matrix values. The lists of the vector are freed
// on the host before those of the matrix values are built.
template <typename Sums>
static bool create_sums(Data<Sums> *d, const Space *space, const Operator *layout, Error *error) {
  EntryLists lists = {};
  const bool ok = vector_entry_lists_create(&lists, space, error) && put_sums(&d->vector, &lists, error);
  entry_lists_destroy(&lists);
  return ok && put_matrix_sums(&d->matrix, space, layout, error);
}

template <typename Sums>
static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data<Sums> *d = (Data<Sums> *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  if (!d || !element_records_create(&d->elements, space, space->cell_count, TriangleLayout::STRIDE, error))
    return false;
  assembly->min_J_count = d->elements.tet_blocks;
  assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)assembly->min_J_count, error);
  return assembly->min_J && create_sums(d, space, assembly->layout, error);
}

template <typename Sums>
static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  const Data<Sums> *d = (const Data<Sums> *)assembly->data;
  const Work work = { d->elements, (const real *)nodal,
                      element_parameters(p->material, p->vector_scale, p->matrix_scale), (real *)assembly->min_J };

  // This kernel computes the matrices even if only the vector is needed. The bits of the vector must not depend on
  // `values`, but a kernel for the vector alone rounds some of its values differently in double precision.
  const auto elements = element_kernel<true, TriangleLayout, Work>;
  const int blocks = d->vector.block_count + (values ? d->matrix.block_count : 0);
  cudaStream_t s = (cudaStream_t)stream.handle;
  elements<<<d->elements.tet_blocks, TETS, 0, s>>>(work, NULL, 0);
  CUDA_TRY(cudaGetLastError());
  if (values && !clear_padding(&d->matrix, (real *)values, s, error)) return false;
  sum_kernel<<<blocks, block_threads(&d->vector), 0, s>>>(*d, (real *)F, (real *)values);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Estimates the bytes of this assembly's arrays, and the bytes that it reads and writes each time it runs. This is the
// function Stage.bytes. Zeros that fill up short rows of the matrix are not counted.
template <typename Sums>
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const bool packed = !std::is_same<Sums, ProductSums>::value, mirrored = std::is_same<Sums, MirroredSums>::value;
  const double T = size->cells, V = size->nodes, P = size->pairs;
  const double n = V * ELEMENT_NODE_DOF, entries = stage_entries(size);
  const double terms = T * ELEMENT_DOF * (mirrored ? ELEMENT_DOF + 1 : 2 * ELEMENT_DOF) / 2;
  const double vector_terms = T * ELEMENT_DOF;

  // a term takes 4 bytes in a packed list; in the matrix S it takes 4 bytes for its column and sizeof(real) bytes for
  // its value, 1
  const double term = packed ? 4 : 4 + sizeof(real), tet = 8 + size->supplemental * sizeof(real) + 8;
  const double record = (TriangleLayout::STRIDE + ELEMENT_DOF) * sizeof(real);
  StageBytes bytes = stage_takes(stage, T * (tet + record) + term * (terms + vector_terms) + 4 * (entries + n));

  // memory for the lists while the host builds them
  bytes.on[DEVICE_CPU] = 4 * terms + 8 * entries + (packed ? 4 * (terms + entries) : sizeof(real) * terms) + 60 * P;
  const double read = T * (8 + size->supplemental * sizeof(real)) + V * ELEMENT_NODE_DATA * sizeof(real);
  const double vectors = T * ELEMENT_DOF * sizeof(real), matrices = T * ELEMENT_MATRIX * sizeof(real);
  stage_pass(stage, &bytes, WORK_VECTOR, read, vectors + matrices);
  stage_pass(stage, &bytes, WORK_VECTOR, vectors + term * vector_terms + 4 * n, n * sizeof(real));
  stage_pass(stage, &bytes, WORK_ASSEMBLY, read, vectors + matrices);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, vectors + matrices + term * (terms + vector_terms) + 4 * (entries + n),
             (entries + n) * sizeof(real));
  return bytes;
}

extern "C" {
extern const AssemblyMethod ELEMENT_ROW(globalnz_entries), ELEMENT_ROW(globalnz_symmetric),
    ELEMENT_ROW(globalnz_product);
const AssemblyMethod ELEMENT_ROW(globalnz_entries) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "globalnz_entries",
             .summary = "as globalnz, but sums each matrix entry separately",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of<PackedSums> },
  .create = create<PackedSums>,
  .destroy_data = destroy_data<PackedSums>,
  .assemble = assemble<PackedSums>,
  .needs_values = true,
};
const AssemblyMethod ELEMENT_ROW(globalnz_symmetric) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "globalnz_symmetric",
             .summary = "as globalnz_entries, but sums one of two symmetric matrix entries, and stores it twice",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of<MirroredSums> },
  .create = create<MirroredSums>,
  .destroy_data = destroy_data<MirroredSums>,
  .assemble = assemble<MirroredSums>,
  .needs_values = true,
};
const AssemblyMethod ELEMENT_ROW(globalnz_product) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "globalnz_product",
             .summary = "as globalnz, but sums element data by a product with a sparse matrix of zeros and ones",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of<ProductSums> },
  .create = create<ProductSums>,
  .destroy_data = destroy_data<ProductSums>,
  .assemble = assemble<ProductSums>,
  .needs_values = true,
};
}

}  // namespace globalnz_entries_assembly
