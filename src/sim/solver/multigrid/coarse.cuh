// The coarse space on the GPU, for cg.cu; see coarse.h. Its twin is coarse_cpu.h.
//
// Nodes come in slices: runs of an aggregate's nodes, or of those of none, of which a block of threads takes one at a
// time. It leaves the slice's share of P^T r; whoever needs the coarse residual adds up an aggregate's slices in order.
#pragma once
#include "device/cuda_try.h"
#include "sim/solver/multigrid/coarse.h"

enum { COARSE_BLOCK = 256 };  // threads of all kernels that work on slices, and of the product with B

// What kernels need, by value.
typedef struct CoarseView {
  int dof, modes, count, n;  // aggregates; coarse_unknowns
  int pair_count, slice_count, product_blocks;
  const int *of, *start, *member;  // as in Aggregates
  const int *slice_start;          // [count + 1], slices of each aggregate; behind them those of none
  const int *slice;                // [slice_count + 1], where they begin in member
  const AggregatePair *pair;
  const int64_t *item_start;
  const AggregateItem *item;
  const double *X;    // [node_count][3] m
  real *arm;          // [node_count][3], from the middle of the aggregate
  double *rest;       // [n], the diagonal of P^T A P
  double *matrix[2];  // [n][n], one sweep from one into the other
  double *shares;     // [slice_count][modes] of P^T r
  double *y;          // [n]
  double *dots;       // [product_blocks], r.P y
} CoarseView;

typedef struct CoarseCuda {
  CoarseView view;
  const double *B;  // that of the two matrices that the sweeps end in
  void *owned[16];
  int owned_count;
} CoarseCuda;

/// Of these aggregates, which it copies.
bool REAL_NAME(coarse_cuda_create)(CoarseCuda *coarse, const Aggregates *aggregates, const Operator *A, Error *error);
void REAL_NAME(coarse_cuda_destroy)(CoarseCuda *coarse);

/// Queue: B, of the system's matrix and state; the shares of P^T r; and y = B P^T r with its dots, unless *done
/// (NULL: always).
bool REAL_NAME(coarse_cuda_make)(const CoarseCuda *coarse, const SolverSystem *system, cudaStream_t stream,
                                 Error *error);
bool REAL_NAME(coarse_cuda_restrict)(const CoarseCuda *coarse, const real *r, cudaStream_t stream, Error *error);
bool REAL_NAME(coarse_cuda_solve)(const CoarseCuda *coarse, const int *done, cudaStream_t stream, Error *error);

// Sums of COUNT values over the block's threads in a fixed tree; thread k < COUNT gets the k-th.
template <int COUNT>
static __device__ __forceinline__ double coarse_block_sums(const double (&values)[COUNT]) {
  __shared__ double warps[COARSE_BLOCK / 32][COUNT];
  __syncthreads();  // the last call's readers are through
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

// The slice's share of P^T r, by a whole block of COARSE_BLOCK threads.
static __device__ __forceinline__ void coarse_restrict_slice(const CoarseView &c, int slice, const real *r) {
  if (c.dof == 3) coarse_restrict_slice_of<3>(c, slice, r);
  if (c.dof == 2) coarse_restrict_slice_of<2>(c, slice, r);
  if (c.dof == 1) coarse_restrict_slice_of<1>(c, slice, r);
}

// P y of an unknown that is free
static __device__ __forceinline__ real coarse_moved(const CoarseView &c, int unknown) {
  const int node = unknown / c.dof, aggregate = c.of[node];
  if (aggregate < 0) return 0;
  return (real)coarse_prolong(c.dof, unknown % c.dof, c.arm + (size_t)node * 3, c.y + (size_t)aggregate * c.modes);
}
