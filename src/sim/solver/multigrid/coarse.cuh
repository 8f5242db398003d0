// The coarse space on the GPU, for cg.cu: rigid motions of aggregates, connected groups of nodes, as part of a
// preconditioner (coarse.h). These motions are the columns of P.
//
// Nodes are divided into slices. A slice consists of consecutive nodes in the list of one aggregate, or in the list of
// the nodes without an aggregate. A thread block computes the contribution of one slice to the coarse residual P^T r. A
// kernel that needs P^T r adds, for each aggregate, the contributions of its slices in order.
#pragma once
#include "device/cuda_try.h"
#include "sim/solver/multigrid/coarse.h"

enum { COARSE_BLOCK = 256 };  // threads per thread block of the kernels in coarse.cu

// Argument of the kernels of the coarse space. The columns of P are the rigid motions of all aggregates (groups of
// nodes), and B is the inverse of P^T A P. A slice is some nodes of one aggregate.
typedef struct CoarseView {
  // dof: unknowns per node. modes: rigid motions per aggregate. count: number of aggregates. n: rows of P^T A P.
  // pair_count: pairs of aggregates that the matrix couples. slice_count: number of slices. product_blocks: thread
  // blocks that multiply by B.
  int dof, modes, count, n;
  int pair_count, slice_count, product_blocks;
  // Lists of nodes. of [node_count]: aggregate of each node. start [count + 1]: first index in `member` of each
  // aggregate. member [node_count]: the nodes, sorted by aggregate.
  const int *of, *start, *member;
  // [count + 1], first slice of each aggregate; slices of nodes without an aggregate follow
  const int *slice_start;
  // [slice_count + 1], index in `member` of the first node of each slice (some nodes of one aggregate)
  const int *slice;
  const AggregatePair *pair;  // [pair_count], pairs of aggregates that the matrix couples
  const int64_t *item_start;  // [pair_count + 1], first index in `item` of each pair of aggregates
  const AggregateItem *item;  // matrix blocks of the pairs of aggregates, pair after pair
  const double *X;            // [node_count][3], m, undeformed positions of the nodes; NULL with one unknown per node
  real *arm;                  // [node_count][3], m, deformed position of each node from the centre of its aggregate
  double *rest;               // [n], the diagonal of P^T A P, with which pivots are compared
  // [n][n] each, P^T A P and its inverse: each sweep of the elimination reads one array and writes the other
  double *matrix[2];
  double *shares;  // [slice_count][modes], contribution of each slice to P^T r
  double *y;       // [n], y = B P^T r, amplitudes of the rigid motions
  double *dots;    // [product_blocks], partial sums of r.P y, one per thread block
} CoarseView;

typedef struct CoarseCuda {
  CoarseView view;  // argument of the kernels
  const double *B;  // [n][n], inverse of P^T A P: one of the two arrays view.matrix
  void *owned[16];  // addresses of all arrays of `view`, to free them
  int owned_count;  // number of addresses in `owned`
} CoarseCuda;

/// Creates the coarse space of these aggregates (groups of nodes), with lists on the device. Fails if memory runs out.
bool REAL_NAME(coarse_cuda_create)(CoarseCuda *coarse, const Aggregates *aggregates, const Operator *A, Error *error);
void REAL_NAME(coarse_cuda_destroy)(CoarseCuda *coarse);

/// These functions queue work on the stream. The columns of P are the rigid motions of the aggregates (groups of
/// nodes). coarse_cuda_make computes B, the inverse of P^T A P, from the present matrix and system->u.
/// coarse_cuda_restrict computes the contributions of all slices (some nodes of one aggregate each) to P^T r.
/// coarse_cuda_solve computes y = B P^T r and the partial sums of r.P y; if `done` is not NULL and *done is not 0,
/// coarse_cuda_solve does nothing.
bool REAL_NAME(coarse_cuda_make)(const CoarseCuda *coarse, const SolverSystem *system, cudaStream_t stream,
                                 Error *error);
bool REAL_NAME(coarse_cuda_restrict)(const CoarseCuda *coarse, const real *r, cudaStream_t stream, Error *error);
bool REAL_NAME(coarse_cuda_solve)(const CoarseCuda *coarse, const int *done, cudaStream_t stream, Error *error);

// Sums each of COUNT values over the threads of a thread block in a fixed order. Thread k < COUNT gets sum k.
template <int COUNT>
static __device__ __forceinline__ double coarse_block_sums(const double (&values)[COUNT]) {
  __shared__ double warps[COARSE_BLOCK / 32][COUNT];
  __syncthreads();  // all threads have read `warps` of the previous call
#pragma unroll
  for (int k = 0; k < COUNT; k++) {
    double value = values[k];
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32][k] = value;
  }
  __syncthreads();
  double sum = 0;
  if (threadIdx.x < COUNT)
    for (int w = 0; w < COARSE_BLOCK / 32; w++) sum += warps[w][threadIdx.x];
  return sum;
}

template <int DOF>
static __device__ __forceinline__ void coarse_restrict_slice_of(const CoarseView &c, int slice, const real *r) {
  enum { MODES = COARSE_MODES_OF(DOF) };
  double sums[MODES] = {};
  for (int m = c.slice[slice] + threadIdx.x; m < c.slice[slice + 1]; m += COARSE_BLOCK) {
    const int node = c.member[m];
    real mine[DOF], arm[3];
#pragma unroll
    for (int i = 0; i < DOF; i++) mine[i] = r[(size_t)node * DOF + i];
#pragma unroll
    for (int i = 0; i < 3; i++) arm[i] = c.arm[(size_t)node * 3 + i];
    coarse_restrict(DOF, arm, mine, sums);
  }
  const double sum = coarse_block_sums(sums);
  if (threadIdx.x < MODES) c.shares[(size_t)slice * MODES + threadIdx.x] = sum;
}

// Computes the contribution of a slice (some nodes of one aggregate) to P^T r, one number per rigid motion, and writes
// it to c.shares. All COARSE_BLOCK threads of a thread block must call this function.
static __device__ __forceinline__ void coarse_restrict_slice(const CoarseView &c, int slice, const real *r) {
  if (c.dof == 3) coarse_restrict_slice_of<3>(c, slice, r);
  if (c.dof == 2) coarse_restrict_slice_of<2>(c, slice, r);
  if (c.dof == 1) coarse_restrict_slice_of<1>(c, slice, r);
}

// Returns P y at a free unknown: the displacement that the motion of the node's aggregate (group of nodes) with the
// amplitudes y gives it; 0 if the node has no aggregate.
static __device__ __forceinline__ real coarse_moved(const CoarseView &c, int unknown) {
  const int node = unknown / c.dof, aggregate = c.of[node];
  if (aggregate < 0) return 0;
  return (real)coarse_prolong(c.dof, unknown % c.dof, c.arm + (size_t)node * 3, c.y + (size_t)aggregate * c.modes);
}
