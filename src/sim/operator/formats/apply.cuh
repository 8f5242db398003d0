// Functions of the GPU kernels that compute y = A x: the loop in which one thread multiplies entries of a row, and the
// partial sums of x.y. A lane is one of several threads that process the same row. An entry is one stored number of the
// matrix.
#pragma once
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/operator.h"

// APPLY_BLOCK: threads per thread block. APPLY_BATCH: number of matrix entries that a thread loads before it
// multiplies. APPLY_ENTRIES: min number of entries of a row for each thread of the row, on average over all rows
// (apply_usual_lanes).
enum { APPLY_BLOCK = 256, APPLY_BATCH = 4, APPLY_ENTRIES = 8 };

// Selects the instance of the template `kernel` for `dof` unknowns per node, 1 to OPERATOR_DOF_MAX.
#define BY_NODE_DOF(dof, kernel) ((dof) == 3 ? kernel<3> : (dof) == 2 ? kernel<2> : kernel<1>)

// Returns the number of threads per row of the matrix that is taken if the user chooses no number. With several
// unknowns per node, this is the format's default, OperatorMethod.tuned. With one unknown per node, rows are short. The
// default is then halved until an average row has at least APPLY_ENTRIES entries per thread.
static inline int apply_usual_lanes(const Operator *A) {
  const int64_t entries = A->space->node_dof > 1 ? INT64_MAX : space_pairs(A->space) / A->space->node_count;
  int lanes = A->method->tuned;
  while (lanes > 1 && lanes > entries / APPLY_ENTRIES) lanes /= 2;
  return lanes;
}

// Sets *streams to true if an iteration of a solver reads more bytes than the GPU's L2 cache holds. An iteration reads
// the values of the matrix, an index for each value, and VECTORS vectors of n numbers. Kernels then load the values
// with a hint to evict them first, so that the vectors stay in the cache.
static inline bool apply_streams(const Operator *A, bool *streams, Error *error) {
  enum { VECTORS = 6 };
  int cache = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device_gpu()));
  *streams = (double)A->value_count * (sizeof(real) + sizeof(int)) + VECTORS * sizeof(real) * (double)A->n > cache;
  return true;
}

// Loads a number that the kernel reads only once. With STREAMS, the load has a hint to evict the number from the L2
// cache before other data.
template <bool STREAMS, typename T>
static __device__ __forceinline__ T apply_once(const T *at) {
  return STREAMS ? __ldcs(at) : *at;
}

// Returns the contribution of one thread to the product of a row with x: the sum of values[s] * x[col[s]] for s =
// first, first + STRIDE, ... < last. Loads the columns and values of APPLY_BATCH entries before their x, so that these
// loads overlap.
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

// Sums `value`, the contribution of each thread to x.y, over the thread block in a fixed order. Writes the sum to
// dots[blockIdx.x]. Does nothing if dots is NULL. Every thread must call this function.
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
