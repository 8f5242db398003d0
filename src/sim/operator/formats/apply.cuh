// Helpers for the formats' products on the GPU: a lane's loop over a run of entries, and the partial sums of x.y.
#pragma once
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/operator.h"

enum { APPLY_BLOCK = 256, APPLY_BATCH = 4, APPLY_ENTRIES = 8 };

// Instance of a kernel template for `dof` unknowns per node, at most OPERATOR_DOF_MOST.
#define BY_NODE_DOF(dof, kernel) ((dof) == 3 ? kernel<3> : (dof) == 2 ? kernel<2> : kernel<1>)

// Default number of lanes per row: the format's number, but for one unknown per node only as many as leave a lane
// APPLY_ENTRIES entries, since short rows keep most of many lanes idle.
static inline int apply_usual_lanes(const Operator *A) {
  const int64_t entries = A->space->node_dof > 1 ? INT64_MAX : space_pairs(A->space) / A->space->node_count;
  int lanes = A->method->tuned;
  while (lanes > 1 && lanes > entries / APPLY_ENTRIES) lanes /= 2;
  return lanes;
}

// Sets *streams if an iteration reads more than L2 holds: values with an index each, and some vectors. Values that are
// read once should then be evicted first.
static inline bool apply_streams(const Operator *A, bool *streams, Error *error) {
  enum { VECTORS = 6 };
  int cache = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0));
  *streams = (double)A->value_count * (sizeof(real) + sizeof(int)) + VECTORS * sizeof(real) * (double)A->n > cache;
  return true;
}

// Loads a value that is read once; with STREAMS it is evicted first.
template <bool STREAMS, typename T>
static __device__ __forceinline__ T apply_once(const T *at) {
  return STREAMS ? __ldcs(at) : *at;
}

// Sum of values[s] * x[col[s]] for s = first, first + STRIDE, ... < last. Loads a batch of columns and values, then of
// x.
template <int STRIDE>
static __device__ __forceinline__ real apply_run(int first, int last, const int *__restrict__ col,
                                                 const real *__restrict__ values, const real *__restrict__ x) {
  real sum = 0;
  for (int s = first; s < last; s += APPLY_BATCH * STRIDE) {
    int c[APPLY_BATCH];
    real v[APPLY_BATCH];
#pragma unroll
    for (int k = 0; k < APPLY_BATCH; k++) {
      const bool inside = s + k * STRIDE < last;
      c[k] = inside ? col[s + k * STRIDE] : -1;
      v[k] = inside ? values[s + k * STRIDE] : (real)0;
    }
#pragma unroll
    for (int k = 0; k < APPLY_BATCH; k++)
      if (c[k] >= 0) sum += v[k] * x[c[k]];
  }
  return sum;
}

// Sums x.y over the thread block in a fixed tree and writes dots[block]; every thread must call it.
static __device__ __forceinline__ void apply_dot(double value, double *__restrict__ dots) {
  __shared__ double warps[APPLY_BLOCK / 32];
  if (!dots) return;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < APPLY_BLOCK / 32; w++) value += warps[w];
  dots[blockIdx.x] = value;
}
