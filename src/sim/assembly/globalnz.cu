// Assembly `globalnz`: by non-zero entries through global memory (paper 000, section 16.3.1). Two kernels.
//   elements   a block prefetches the nodal data of its tets into shared memory, each node once; a thread evaluates one
//              tet and writes its element data coalesced: entry by entry, neighbouring tets side by side.
//   reduction  a block owns neighbouring entries of the system, adds up their lists of the reduction array
//              (reduction.h) in shared memory, and writes them coalesced, padding slots included.
// The vector's entries follow the matrix's, in blocks of their own, so that the vector can be assembled alone.
// Element data: [tet block][ELEMENT_DATA][TETS]; the hand writes 45 MB, and reads them twice through 80 MB of indices.
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
  TETS = 128,           // tets, and threads, of a block of the element kernel
  NODES_MAX = TETS * ELEMENT_NODES,
  TARGETS = 1024,       // entries of a block of the reduction
  THREADS = 256         // its threads
};

// Arrays on the device. Everything per tet is column-major within its block: [tet block][...][TETS].
typedef struct Data {
  int tet_count, tet_blocks, n;
  int64_t slot_count;
  int matrix_blocks, vector_blocks;  // blocks of the two reductions
  int *node_start;                   // [tet_blocks + 1], into node
  int *node;                         // the nodes N_k of each block, ascending
  uint16_t *block_node;              // E_k: [tet_blocks][ELEMENT_NODES][TETS], numbers within N_k
  real *supplemental;                // [tet_blocks][ELEMENT_SUPPLEMENTAL][TETS]
  real *element_data;                // [tet_blocks][ELEMENT_DATA][TETS]
  int64_t *matrix_start, *vector_start;  // [blocks + 1]
  int *matrix_entries, *vector_entries;
} Data;

// u [nodes][3] -> element_data and min_J [tet_blocks]
template <bool WITH_MATRIX>
static __global__ void __launch_bounds__(TETS)
    element_kernel(int tet_count, const int *__restrict__ node_start, const int *__restrict__ node,
                   const uint16_t *__restrict__ block_node, const real *__restrict__ supplemental,
                   const real *__restrict__ u, ElementParameters parameters, real *__restrict__ element_data,
                   real *__restrict__ min_J) {
  __shared__ real nodal[NODES_MAX * ELEMENT_NODE_DOF];
  __shared__ real warp_min[TETS / 32];
  const int block = blockIdx.x, thread = threadIdx.x, e = block * TETS + thread;

  // prefetch: each node of the block once
  const int first = node_start[block], values = (node_start[block + 1] - first) * ELEMENT_NODE_DOF;
  for (int v = thread; v < values; v += TETS)
    nodal[v] = u[node[first + v / ELEMENT_NODE_DOF] * ELEMENT_NODE_DOF + v % ELEMENT_NODE_DOF];
  __syncthreads();

  // evaluate, and write coalesced
  real J = CUDART_INF_F;
  if (e < tet_count) {
    real u_e[ELEMENT_NODES * ELEMENT_NODE_DOF], S[ELEMENT_SUPPLEMENTAL], F_e[ELEMENT_DOF], A_e[ELEMENT_MATRIX];
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
    J = element_evaluate(u_e, S, &parameters, F_e, WITH_MATRIX ? A_e : NULL);
    if (J != J) J = -CUDART_INF_F;
    real *out = element_data + (size_t)block * ELEMENT_DATA * TETS + thread;
    if (WITH_MATRIX) {
#pragma unroll
      for (int k = 0; k < ELEMENT_MATRIX; k++) out[k * TETS] = A_e[k];
    }
#pragma unroll
    for (int k = 0; k < ELEMENT_DOF; k++) out[(ELEMENT_MATRIX + k) * TETS] = F_e[k];
  }

  // the block's smallest J; minima have no rounding, so any order will do
  for (int step = 16; step > 0; step /= 2) J = min(J, __shfl_xor_sync(0xffffffff, J, step));
  if (thread % 32 == 0) warp_min[thread / 32] = J;
  __syncthreads();
  if (thread == 0) {
    for (int w = 1; w < TETS / 32; w++) J = min(J, warp_min[w]);
    min_J[block] = J;
  }
}

// Paper 000, Algorithm 2, for the block's TARGETS entries of target [target_count]
static __global__ void __launch_bounds__(THREADS)
    reduction_kernel(int64_t target_count, const int64_t *__restrict__ start, const int *__restrict__ entries,
                     const real *__restrict__ source, real *__restrict__ target) {
  __shared__ real sum[TARGETS];
  const int thread = threadIdx.x;
  for (int t = thread; t < TARGETS; t += THREADS) sum[t] = 0;
  __syncthreads();
  real total = 0;
  const int64_t last = start[blockIdx.x + 1];
#pragma unroll 4
  for (int64_t at = start[blockIdx.x] + thread; at < last; at += THREADS) {
    const int entry = entries[at];
    if (entry > 0) {
      total += source[entry - 1];
    } else if (entry < 0) {
      sum[-entry - 1] = total;
      total = 0;
    }
  }
  __syncthreads();
  const int64_t first = (int64_t)blockIdx.x * TARGETS;
  for (int t = thread; t < TARGETS && first + t < target_count; t += THREADS) target[first + t] = sum[t];
}

static void destroy_data(Assembly *assembly) {
  Data *d = (Data *)assembly->data;
  void *arrays[] = { d->node_start, d->node, d->block_node, d->supplemental, d->element_data,
                     d->matrix_start, d->vector_start, d->matrix_entries, d->vector_entries };
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

// where entry `entry` of tet e's element data stands
static int source_index(int e, int entry) {
  return (e / TETS * ELEMENT_DATA + entry) * TETS + e % TETS;
}

// packs lists that are given as counts per target (in start[t + 1]) and a walk that names (target, source) pairs in the
// order of summation, and puts them on the device
template <typename Walk>
static bool create_reduction(int64_t target_count, const Walk &walk, int *block_count, int64_t **start_dev,
                             int **entries_dev, Error *error) {
  std::vector<int64_t> start((size_t)target_count + 1, 0);
  walk([&](int64_t target, int) { start[target + 1]++; });
  for (int64_t t = 0; t < target_count; t++) start[t + 1] += start[t];
  std::vector<int> source((size_t)start[target_count]);
  std::vector<int64_t> fill(start.begin(), start.end() - 1);
  walk([&](int64_t target, int index) { source[fill[target]++] = index; });
  Reduction r = { 0, NULL, NULL };
  if (!reduction_create(&r, target_count, start.data(), source.data(), TARGETS, THREADS, error)) return false;
  *block_count = r.block_count;
  const bool ok = put(start_dev, r.start, (size_t)r.block_count + 1, error) &&
                  put(entries_dev, r.entries, (size_t)r.start[r.block_count], error);
  reduction_destroy(&r);
  return ok;
}

static bool create(Assembly *assembly, const TetMesh *mesh, Error *error) {
  Data *d = (Data *)array_new(1, sizeof *d, "assembly data", error);
  assembly->data = d;
  if (!d) return false;
  const Matrix *A = assembly->matrix;
  d->tet_count = mesh->tet_count;
  d->tet_blocks = (mesh->tet_count + TETS - 1) / TETS;
  d->n = A->pattern->n;
  d->slot_count = A->slot_count;
  const size_t data_count = (size_t)d->tet_blocks * TETS * ELEMENT_DATA;
  if (data_count > INT32_MAX)
    return error_set(error, "%d tets are too many, at most %d fit", mesh->tet_count, INT32_MAX / ELEMENT_DATA / TETS * TETS);
  assembly->min_J_count = d->tet_blocks;
  assembly->min_J = device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)d->tet_blocks, error);
  d->element_data = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * data_count, error);
  if (!assembly->min_J || !d->element_data || !create_element_arrays(d, mesh, error)) return false;

  uint16_t(*offset)[4][4] = assembly_offsets(mesh, A->pattern, error);
  if (!offset) return false;
  const auto matrix_pairs = [&](auto &&pair) {
    for (int e = 0; e < d->tet_count; e++)
      for (int r = 0; r < ELEMENT_DOF; r++) {
        const int row_start = A->pattern->row_start[ELEMENT_NODE_DOF * mesh->tet[e][r / 3] + r % 3];
        for (int c = 0; c < ELEMENT_DOF; c++)
          pair(A->slot[row_start + offset[e][r / 3][c / 3] + c % 3], source_index(e, element_matrix_index(r, c)));
      }
  };
  const auto vector_pairs = [&](auto &&pair) {
    for (int e = 0; e < d->tet_count; e++)
      for (int r = 0; r < ELEMENT_DOF; r++)
        pair(ELEMENT_NODE_DOF * mesh->tet[e][r / 3] + r % 3, source_index(e, ELEMENT_MATRIX + r));
  };
  const bool ok =
      create_reduction(d->slot_count, matrix_pairs, &d->matrix_blocks, &d->matrix_start, &d->matrix_entries, error) &&
      create_reduction(d->n, vector_pairs, &d->vector_blocks, &d->vector_start, &d->vector_entries, error);
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
                                        (const real *)u, parameters, d->element_data, (real *)assembly->min_J);
  CUDA_TRY(cudaGetLastError());
  if (A) {
    reduction_kernel<<<d->matrix_blocks, THREADS, 0, s>>>(d->slot_count, d->matrix_start, d->matrix_entries,
                                                          d->element_data, (real *)A->values);
    CUDA_TRY(cudaGetLastError());
  }
  reduction_kernel<<<d->vector_blocks, THREADS, 0, s>>>(d->n, d->vector_start, d->vector_entries, d->element_data, (real *)F);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const AssemblyMethod REAL_NAME(assembly_globalnz);
const AssemblyMethod REAL_NAME(assembly_globalnz) = {
  "globalnz",
  "element data to global memory, then a packed reduction",
  DEVICE_CUDA,
  sizeof(real) == sizeof(float) ? PRECISION_F32 : PRECISION_F64,
  create,
  destroy_data,
  assemble,
};
}
