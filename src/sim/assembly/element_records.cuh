// Records of tets on the GPU, for the assemblies "globalnz" and its variants. A record is the matrix and the vector of
// a tet. A kernel evaluates each tet with one thread and writes its record to global memory. A thread block loads the
// nodal data of its RECORD_TETS tets into shared memory, each node once. Records pass through shared memory, so that
// the writes are coalesced. Matrices of tets of 10 nodes are too large for shared memory; threads write these matrices
// directly to global memory.
//
// The order of the values in the matrix of a record is a type, Layout, with three members:
//   VALUES        number of values of the matrix in a record
//   STRIDE        distance between the matrices of two records, in reals
//   source(value) the index in the element matrix A_e of the number at index `value` of the record's matrix. A_e is
//                 stored as the upper triangle of the matrix, row by row. Not used for tets of 10 nodes, whose records
//                 have the order of A_e.
#pragma once
#include <math_constants.h>

#include "sim/assembly/assembly.h"
#include "sim/assembly/packed_lists.cuh"
#include "sim/element/element.h"

enum {
  RECORD_TETS = 64,  // number of tets, and of threads, of a thread block
  // RECORD_NODES_MAX: largest number of different nodes of the tets of a thread block. RECORD_NODAL: length, in reals,
  // of a buffer in shared memory. The buffer first holds the nodal data of these nodes, later the vectors of the tets.
  RECORD_NODES_MAX = RECORD_TETS * ELEMENT_NODES,
  RECORD_NODAL = RECORD_NODES_MAX * (ELEMENT_NODE_DATA > ELEMENT_NODE_DOF ? ELEMENT_NODE_DATA : ELEMENT_NODE_DOF),
  // distance in shared memory between the matrices of two tets; it is odd, so that the threads of a warp write to
  // different memory banks
  RECORD_STAGE = ELEMENT_MATRIX | 1,
  RECORD_STAGED = ELEMENT_NODES <= 4  // true: the matrices of a thread block's tets fit into shared memory
};

// Arrays on the device. In their names, a "block" is a group of RECORD_TETS tets that one thread block evaluates. Each
// group has a list of its nodes; its tets name nodes by indices into this list. Arrays of tets are stored as
// [group][number][tet of the group], so that neighbouring threads load neighbouring numbers.
typedef struct ElementRecords {
  // tet_count: number of tets of the mesh. tet_blocks: number of groups of RECORD_TETS tets.
  int tet_count, tet_blocks;
  int *node_start;  // [tet_blocks + 1], index in `node` of each block's first node
  int *node;        // nodes of each block's tets, each once, one block after the other
  // [tet_blocks][ELEMENT_NODES][RECORD_TETS], nodes of each tet, as indices into the nodes of its group of tets
  uint16_t *block_node;
  real *supplemental;  // [tet_blocks][ELEMENT_SUPPLEMENTAL][RECORD_TETS], the constants S(e) of the tets
  // The records of `capacity` tets. matrices [capacity][Layout::STRIDE], vectors [capacity][ELEMENT_DOF].
  real *matrices, *vectors;
} ElementRecords;

// Computes the records (matrices and vectors) of a group of tets, and the smallest determinant of the deformation
// gradient in the group, min_J[group]. Thread block k processes group first_block + k and writes the records from
// number k * RECORD_TETS on.
//
// Work is a struct with the arguments for one body; an assembly defines it. Its members are nodal
// [node_count][ELEMENT_NODE_DATA], nodal data such as displacements, `parameters` and min_J. Three functions take it:
// work_of(one, many) returns the arguments of the body that the thread block processes, is_wanted(work) returns false
// if the kernel skips the body, and records_of(work) returns its ElementRecords.
//
// This code is a kernel of its own. As a function that the assemblies' kernels call, it could give other bits of the
// vector with the matrix than without it, because the compiler optimises each calling kernel separately. A test
// compares the bits.
template <bool WITH_MATRIX, typename Layout, typename Work>
static __global__ void __launch_bounds__(RECORD_TETS)
    element_kernel(const __grid_constant__ Work one, const Work *many, int first_block) {
  enum { TETS = RECORD_TETS };
  // nodal: first the nodal data, later the tets' vectors. stage: the tets' matrices.
  __shared__ real nodal[RECORD_NODAL];
  __shared__ real stage[WITH_MATRIX && RECORD_STAGED ? TETS * RECORD_STAGE : 1];
  __shared__ real warp_min[TETS / 32];
  const Work &work = work_of(one, many);
  if (!is_wanted(work)) return;
  const ElementRecords &d = records_of(work);
  const real *__restrict__ data = work.nodal;
  const ElementParameters parameters = work.parameters;
  const int block = first_block + blockIdx.x, thread = threadIdx.x, e = block * TETS + thread;
  const size_t first_record = (size_t)blockIdx.x * TETS;

  // Load the nodal data of all nodes of the thread block's tets into shared memory, each node once.
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
    if constexpr (WITH_MATRIX && !RECORD_STAGED) {
      real A_e[ELEMENT_MATRIX], *record = d.matrices + (first_record + thread) * Layout::STRIDE;
      J = element_evaluate(data_e, S, &parameters, F_e, A_e);
      for (int v = 0; v < ELEMENT_MATRIX; v++) record[v] = A_e[v];
    } else {
      J = element_evaluate(data_e, S, &parameters, F_e, WITH_MATRIX ? stage + thread * RECORD_STAGE : NULL);
    }
    if (J != J) J = -CUDART_INF_F;
  }

  __syncthreads();  // all threads have read `nodal`, so it can be overwritten
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
  real *out = d.vectors + first_record * ELEMENT_DOF;
  for (int k = thread; k < tets * ELEMENT_DOF; k += TETS) out[k] = nodal[k];
  if constexpr (WITH_MATRIX && RECORD_STAGED) {
    enum { TURNS = (Layout::VALUES + 31) / 32 };
    int from[TURNS];  // for each value of a record that this lane writes: its index in the element matrix
#pragma unroll
    for (int t = 0; t < TURNS; t++) from[t] = lane + 32 * t < Layout::VALUES ? Layout::source(lane + 32 * t) : -1;
    out = d.matrices + first_record * Layout::STRIDE + lane;
#pragma unroll 4
    for (int tet = thread / 32; tet < tets; tet += TETS / 32)
#pragma unroll
      for (int t = 0; t < TURNS; t++)
        if (from[t] >= 0) out[tet * Layout::STRIDE + 32 * t] = stage[tet * RECORD_STAGE + from[t]];
  }
}

// Builds three arrays for each group of tets and copies them to the device: a list of the group's nodes; the nodes
// of each tet, as indices into this list; the constants S(e) of each tet.
static inline bool element_records_put_tets(ElementRecords *d, const Space *space, Error *error) {
  enum { TETS = RECORD_TETS };
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

  if (!put(&d->node_start, node_start, error)) return false;
  if (!put(&d->node, nodes, error)) return false;
  if (!put(&d->block_node, block_node, error)) return false;
  return put(&d->supplemental, supplemental, error);
}

// Creates the arrays for the tets of a space, and memory for the records of `capacity` tets, whose matrices have
// `stride` reals. The caller calls element_records_destroy after a failure too.
static inline bool element_records_create(ElementRecords *d, const Space *space, int capacity, int stride,
                                          Error *error) {
  d->tet_count = space->cell_count;
  d->tet_blocks = (space->cell_count + RECORD_TETS - 1) / RECORD_TETS;
  d->matrices = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)capacity * (size_t)stride, error);
  d->vectors = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)capacity * ELEMENT_DOF, error);
  return d->matrices && d->vectors && element_records_put_tets(d, space, error);
}

static inline void element_records_destroy(ElementRecords *d) {
  void *arrays[] = { d->node_start, d->node, d->block_node, d->supplemental, d->matrices, d->vectors };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
}
