// Assembly `globalnz`: by non-zero entries through global memory (paper 000, section 16.3.1). Two kernels.
//   elements   a block prefetches the nodal data of its tets into shared memory, each node once; a thread evaluates one
//              tet; the element data leave through shared memory, so that writes are coalesced and each tet's record
//              is contiguous.
//   reduction  adds up the lists of the reduction array (reduction.h), packed by LPT.
// As paper 000 proposes in section 16.5, a list belongs to a pair of nodes, not to a single entry: all nine entries of
// the pair have the same tets. Nine neighbouring threads, a worker, walk one list and read neighbouring entries of the
// same records, so the indices shrink to a ninth and the gathers fall into few sectors. The vector has a worker of
// three. Records: matrix [tet][MATRIX_STRIDE], vector [tet][ELEMENT_DOF]. The hand writes 46 MB and reads 17 MB of
// indices.
#include <math_constants.h>
#include <stdlib.h>

#include <vector>

#include "base/array.h"
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/reduction.h"
#include "sim/element/tet4.h"

enum {
  TETS = 64,  // tets, and threads, of a block of the element kernel
  NODES_MAX = TETS * ELEMENT_NODES,
  MATRIX_STRIDE = (ELEMENT_MATRIX + 7) / 8 * 8,  // records begin on a 32-byte sector
  STAGE_STRIDE = ELEMENT_MATRIX + 1,             // odd: threads write to different banks
  PAIR_VALUES = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF,
  MATRIX_WORKERS = 32,   // of a block of the matrix's reduction: 288 threads
  MATRIX_TARGETS = 128,  // node pairs it owns
  VECTOR_WORKERS = 32,   // of the vector's: 96 threads, so that the hand makes 900 blocks
  VECTOR_TARGETS = 32    // nodes it owns
};

// Arrays on the device. E_k and S are column-major within their block of tets: [tet block][...][TETS].
typedef struct Data {
  int tet_count, tet_blocks;
  int matrix_blocks, vector_blocks;  // blocks of the two reductions
  int *node_start;                   // [tet_blocks + 1], into node
  int *node;                         // the nodes N_k of each block
  uint16_t *block_node;              // E_k: [tet_blocks][ELEMENT_NODES][TETS], numbers within N_k
  real *supplemental;                // [tet_blocks][ELEMENT_SUPPLEMENTAL][TETS]
  real *matrix_records, *vector_records;
  int64_t *matrix_start, *vector_start;  // [blocks + 1]
  int *matrix_entries, *vector_entries;
  int *pair_slot;  // [node pairs][PAIR_VALUES]: slots of a pair's entries, row by row
} Data;

// a source of the matrix's lists: tet e's entries for local nodes a, b
static __host__ __device__ int pair_source(int e, int a, int b) {
  return (e * ELEMENT_NODES + a) * ELEMENT_NODES + b;
}

// u [nodes][3] -> records and min_J [tet_blocks]
template <bool WITH_MATRIX>
static __global__ void __launch_bounds__(TETS)
    element_kernel(int tet_count, const int *__restrict__ node_start, const int *__restrict__ node,
                   const uint16_t *__restrict__ block_node, const real *__restrict__ supplemental,
                   const real *__restrict__ u, ElementParameters parameters, real *__restrict__ matrix_records,
                   real *__restrict__ vector_records, real *__restrict__ min_J) {
  // nodal data first; then, in the same place, the tets' vectors, and beside them their matrices
  __shared__ real nodal[NODES_MAX * ELEMENT_NODE_DOF];
  __shared__ real stage[WITH_MATRIX ? TETS * STAGE_STRIDE : 1];
  __shared__ real warp_min[TETS / 32];
  const int block = blockIdx.x, thread = threadIdx.x, e = block * TETS + thread;

  // prefetch: each node of the block once
  const int first = node_start[block], values = (node_start[block + 1] - first) * ELEMENT_NODE_DOF;
  for (int v = thread; v < values; v += TETS)
    nodal[v] = u[node[first + v / ELEMENT_NODE_DOF] * ELEMENT_NODE_DOF + v % ELEMENT_NODE_DOF];
  __syncthreads();

  // evaluate
  real J = CUDART_INF_F, F_e[ELEMENT_DOF];
  if (e < tet_count) {
    real u_e[ELEMENT_NODES * ELEMENT_NODE_DOF], S[ELEMENT_SUPPLEMENTAL];
    const uint16_t *local = block_node + (size_t)block * ELEMENT_NODES * TETS + thread;
    const real *s = supplemental + (size_t)block * ELEMENT_SUPPLEMENTAL * TETS + thread;
#pragma unroll
    for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) S[k] = s[k * TETS];
#pragma unroll
    for (int a = 0; a < ELEMENT_NODES; a++) {
      const int at = local[a * TETS] * ELEMENT_NODE_DOF;
#pragma unroll
      for (int i = 0; i < ELEMENT_NODE_DOF; i++) u_e[a * ELEMENT_NODE_DOF + i] = nodal[at + i];
    }
    J = element_evaluate(u_e, S, &parameters, F_e, WITH_MATRIX ? stage + thread * STAGE_STRIDE : NULL);
    if (J != J) J = -CUDART_INF_F;
  }
  __syncthreads();  // nodal has been read by all
  if (e < tet_count) {
#pragma unroll
    for (int k = 0; k < ELEMENT_DOF; k++) nodal[thread * ELEMENT_DOF + k] = F_e[k];
  }

  // the block's smallest J; minima have no rounding, so any order will do
  for (int step = 16; step > 0; step /= 2) J = min(J, __shfl_xor_sync(0xffffffff, J, step));
  if (thread % 32 == 0) warp_min[thread / 32] = J;
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < TETS / 32; w++) J = min(J, warp_min[w]);
    min_J[block] = J;
  }

  // write the records, neighbouring threads neighbouring values
  const int tets = min(TETS, tet_count - block * TETS);
  real *out = vector_records + (size_t)block * TETS * ELEMENT_DOF;
  for (int k = thread; k < tets * ELEMENT_DOF; k += TETS) out[k] = nodal[k];
  if (!WITH_MATRIX) return;
  out = matrix_records + (size_t)block * TETS * MATRIX_STRIDE;
  for (int k = thread; k < tets * MATRIX_STRIDE; k += TETS) {
    const int tet = k / MATRIX_STRIDE, entry = k % MATRIX_STRIDE;
    if (entry < ELEMENT_MATRIX) out[k] = stage[tet * STAGE_STRIDE + entry];
  }
}

// Paper 000, Algorithm 2, for one worker: walks its column of the reduction array, adds load(source) up and hands each
// sum to store(target). Entries and then values are loaded a batch at a time: what a column waits for is latency.
template <int WORKERS, typename Load, typename Store>
static __device__ __forceinline__ void reduce(const int *__restrict__ entries, int64_t first, int64_t last, int worker,
                                              const Load &load, const Store &store) {
  enum { BATCH = 6 };
  real sum = 0;
  for (int64_t at = first + worker; at < last; at += BATCH * WORKERS) {
    int entry[BATCH];
    real value[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; b++) entry[b] = at + b * WORKERS < last ? entries[at + b * WORKERS] : 0;
#pragma unroll
    for (int b = 0; b < BATCH; b++) value[b] = entry[b] > 0 ? load(entry[b] - 1) : (real)0;
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
      sum += value[b];
      if (entry[b] < 0) {
        store(-entry[b] - 1, sum);
        sum = 0;
      }
    }
  }
}

// a worker of nine threads for the node pairs: threads of one worker take the same turns
static __global__ void __launch_bounds__(MATRIX_WORKERS *PAIR_VALUES)
    matrix_reduction_kernel(const int64_t *__restrict__ start, const int *__restrict__ entries,
                            const int *__restrict__ pair_slot, const real *__restrict__ records,
                            real *__restrict__ matrix) {
  const int worker = threadIdx.x / PAIR_VALUES, value = threadIdx.x % PAIR_VALUES;
  const int i = value / ELEMENT_NODE_DOF, k = value % ELEMENT_NODE_DOF;
  reduce<MATRIX_WORKERS>(
      entries, start[blockIdx.x], start[blockIdx.x + 1], worker,
      [=](int source) {
        const int e = source / (ELEMENT_NODES * ELEMENT_NODES);
        const int a = source / ELEMENT_NODES % ELEMENT_NODES, b = source % ELEMENT_NODES;
        return records[(size_t)e * MATRIX_STRIDE +
                       element_matrix_index(ELEMENT_NODE_DOF * a + i, ELEMENT_NODE_DOF * b + k)];
      },
      [=](int target, real sum) {
        matrix[pair_slot[((size_t)blockIdx.x * MATRIX_TARGETS + target) * PAIR_VALUES + value]] = sum;
      });
}

// a worker of three for the nodes: sources are tet and local node
static __global__ void __launch_bounds__(VECTOR_WORKERS *ELEMENT_NODE_DOF)
    vector_reduction_kernel(const int64_t *__restrict__ start, const int *__restrict__ entries,
                            const real *__restrict__ records, real *__restrict__ vector) {
  const int worker = threadIdx.x / ELEMENT_NODE_DOF, i = threadIdx.x % ELEMENT_NODE_DOF;
  reduce<VECTOR_WORKERS>(
      entries, start[blockIdx.x], start[blockIdx.x + 1], worker,
      [=](int source) { return records[(size_t)source * ELEMENT_NODE_DOF + i]; },
      [=](int target, real sum) {
        vector[((size_t)blockIdx.x * VECTOR_TARGETS + target) * ELEMENT_NODE_DOF + i] = sum;
      });
}

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  void *arrays[] = { d->node_start,     d->node,           d->block_node,   d->supplemental,
                     d->matrix_records, d->vector_records, d->matrix_start, d->vector_start,
                     d->matrix_entries, d->vector_entries, d->pair_slot };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free(d);
}

// copies an array to the device; the pointer stays NULL on failure
template <typename T>
static bool put(T **dev, const T *host, size_t count, Error *error) {
  *dev = (T *)device_clone(DEVICE_CUDA, host, count * sizeof(T), error);
  return *dev != NULL;
}

// N_k, E_k and S of every block of tets
static bool create_element_arrays(Data *d, const TetMesh *mesh, Error *error) {
  const size_t padded = (size_t)d->tet_blocks * TETS;
  std::vector<int> node_start(1, 0), nodes;
  std::vector<uint16_t> block_node(padded * ELEMENT_NODES, 0);
  std::vector<real> supplemental(padded * ELEMENT_SUPPLEMENTAL, 0);
  std::vector<int> seen((size_t)mesh->node_count, -1), number((size_t)mesh->node_count);
  for (int block = 0; block < d->tet_blocks; block++) {
    const int first = block * TETS, last = first + TETS < d->tet_count ? first + TETS : d->tet_count;
    for (int e = first; e < last; e++) {
      real S[ELEMENT_SUPPLEMENTAL];
      for (int a = 0; a < ELEMENT_NODES; a++) {
        const int node = mesh->tet[e][a];
        if (seen[node] != block) {
          seen[node] = block;
          number[node] = (int)nodes.size() - node_start.back();
          nodes.push_back(node);
        }
        block_node[((size_t)block * ELEMENT_NODES + a) * TETS + (e - first)] = (uint16_t)number[node];
      }
      element_supplemental(mesh, e, S);
      for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++)
        supplemental[((size_t)block * ELEMENT_SUPPLEMENTAL + k) * TETS + (e - first)] = S[k];
    }
    node_start.push_back((int)nodes.size());
  }
  return put(&d->node_start, node_start.data(), node_start.size(), error) &&
         put(&d->node, nodes.data(), nodes.size(), error) &&
         put(&d->block_node, block_node.data(), block_node.size(), error) &&
         put(&d->supplemental, supplemental.data(), supplemental.size(), error);
}

// packs the lists that a walk names as (target, source) pairs, in the order of summation, and puts them on the device
template <typename Walk>
static bool create_reduction(int target_count, const Walk &walk, int targets, int workers, int *block_count,
                             int64_t **start_dev, int **entries_dev, Error *error) {
  std::vector<int64_t> start((size_t)target_count + 1, 0);
  walk([&](int target, int) { start[target + 1]++; });
  for (int t = 0; t < target_count; t++) start[t + 1] += start[t];
  std::vector<int> source((size_t)start[target_count]);
  std::vector<int64_t> fill(start.begin(), start.end() - 1);
  walk([&](int target, int index) { source[fill[target]++] = index; });
  Reduction r = { 0, NULL, NULL };
  if (!reduction_create(&r, target_count, start.data(), source.data(), targets, workers, error)) return false;
  *block_count = r.block_count;
  const bool ok = put(start_dev, r.start, (size_t)r.block_count + 1, error) &&
                  put(entries_dev, r.entries, (size_t)r.start[r.block_count], error);
  reduction_destroy(&r);
  return ok;
}

// The node pairs that share a tet, numbered node by node: pairs of node a are [pair_start[a], pair_start[a + 1]). The
// pattern has them as blocks of three rows, so nothing new must be searched.
static bool create_pairs(Data *d, const TetMesh *mesh, const Matrix *A, const uint16_t (*offset)[4][4], Error *error) {
  const Pattern *p = A->pattern;
  std::vector<int> pair_start((size_t)mesh->node_count + 1, 0), slots;
  slots.reserve((size_t)p->row_start[p->n]);
  for (int a = 0; a < mesh->node_count; a++) {
    const int row = ELEMENT_NODE_DOF * a, pairs = (p->row_start[row + 1] - p->row_start[row]) / ELEMENT_NODE_DOF;
    for (int pair = 0; pair < pairs; pair++)
      for (int i = 0; i < ELEMENT_NODE_DOF; i++)
        for (int k = 0; k < ELEMENT_NODE_DOF; k++)
          slots.push_back(A->slot[p->row_start[row + i] + ELEMENT_NODE_DOF * pair + k]);
    pair_start[a + 1] = pair_start[a] + pairs;
  }
  const auto matrix_lists = [&](auto &&name) {
    for (int e = 0; e < mesh->tet_count; e++)
      for (int a = 0; a < ELEMENT_NODES; a++)
        for (int b = 0; b < ELEMENT_NODES; b++)
          name(pair_start[mesh->tet[e][a]] + offset[e][a][b] / ELEMENT_NODE_DOF, pair_source(e, a, b));
  };
  const auto vector_lists = [&](auto &&name) {
    for (int e = 0; e < mesh->tet_count; e++)
      for (int a = 0; a < ELEMENT_NODES; a++) name(mesh->tet[e][a], e * ELEMENT_NODES + a);
  };
  return put(&d->pair_slot, slots.data(), slots.size(), error) &&
         create_reduction(pair_start[mesh->node_count], matrix_lists, MATRIX_TARGETS, MATRIX_WORKERS, &d->matrix_blocks,
                          &d->matrix_start, &d->matrix_entries, error) &&
         create_reduction(mesh->node_count, vector_lists, VECTOR_TARGETS, VECTOR_WORKERS, &d->vector_blocks,
                          &d->vector_start, &d->vector_entries, error);
}

static bool create(Assembly *assembly, const TetMesh *mesh, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  if (!d) return false;
  d->tet_count = mesh->tet_count;
  d->tet_blocks = (mesh->tet_count + TETS - 1) / TETS;
  if (mesh->tet_count > INT32_MAX / (ELEMENT_NODES * ELEMENT_NODES))
    return error_set(error, "%d tets are too many, at most %d fit", mesh->tet_count,
                     INT32_MAX / (ELEMENT_NODES * ELEMENT_NODES));
  const size_t tets = (size_t)mesh->tet_count;
  assembly->min_J_count = d->tet_blocks;
  assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)d->tet_blocks, error);
  d->matrix_records = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * tets * MATRIX_STRIDE, error);
  d->vector_records = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * tets * ELEMENT_DOF, error);
  if (!assembly->min_J || !d->matrix_records || !d->vector_records || !create_element_arrays(d, mesh, error))
    return false;
  uint16_t(*offset)[4][4] = assembly_offsets(mesh, assembly->matrix->pattern, error);
  const bool ok = offset && create_pairs(d, mesh, assembly->matrix, offset, error);
  free(offset);
  return ok;
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *u, void *F, Matrix *A, Stream stream,
                     Error *error) {
  const Data *d = (const Data *)assembly->data;
  cudaStream_t s = (cudaStream_t)stream.handle;
  const ElementParameters parameters = { (real)p->mu, (real)p->lambda, (real)p->vector_scale, (real)p->matrix_scale };
  const auto kernel = A ? element_kernel<true> : element_kernel<false>;
  kernel<<<d->tet_blocks, TETS, 0, s>>>(d->tet_count, d->node_start, d->node, d->block_node, d->supplemental,
                                        (const real *)u, parameters, d->matrix_records, d->vector_records,
                                        (real *)assembly->min_J);
  CUDA_TRY(cudaGetLastError());
  if (A) {
    matrix_reduction_kernel<<<d->matrix_blocks, MATRIX_WORKERS * PAIR_VALUES, 0, s>>>(
        d->matrix_start, d->matrix_entries, d->pair_slot, d->matrix_records, (real *)A->values);
    CUDA_TRY(cudaGetLastError());
  }
  vector_reduction_kernel<<<d->vector_blocks, VECTOR_WORKERS * ELEMENT_NODE_DOF, 0, s>>>(
      d->vector_start, d->vector_entries, d->vector_records, (real *)F);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const AssemblyMethod REAL_NAME(assembly_globalnz);
const AssemblyMethod REAL_NAME(assembly_globalnz) = {
  "globalnz",  "element data to global memory, then a packed reduction",
  DEVICE_CUDA, sizeof(real) == sizeof(float) ? PRECISION_F32 : PRECISION_F64,
  create,      destroy_data,
  assemble,
};
}
