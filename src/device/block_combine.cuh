// Sums and minima over a thread block. The order of operations is a fixed tree, as in BlockReduce of NVIDIA's library
// CUB, so results are bit-identical in every run. CUB's headers take three times as long to compile as the rest of a
// file, so they are not used.
#pragma once
#include <string.h>

static __device__ __forceinline__ void add(double *sum, const double *more) {
  *sum += *more;
}
static __device__ __forceinline__ void keep_smaller(double *low, const double *other) {
  *low = *low < *other ? *low : *other;
}

// Exchanges values within a warp: in lane l, returns the `value` of lane l + `lanes`. If the warp has no such lane,
// returns the lane's own `value`.
template <typename Value>
static __device__ __forceinline__ Value value_further_on(const Value &value, int lanes) {
  static_assert(sizeof(Value) % sizeof(int) == 0, "lanes exchange values as whole 4-byte words");
  int word[sizeof(Value) / sizeof(int)];
  memcpy(word, &value, sizeof value);
  for (int &w : word) w = __shfl_down_sync(0xffffffff, w, lanes);
  Value other;
  memcpy(&other, word, sizeof other);
  return other;
}

/// Combines the values of all threads of a block by combine(&value, &another), and returns the result in thread 0.
/// BLOCK, the number of threads, is a multiple of 32. May be called only once in a kernel.
template <int BLOCK, typename Value, void (*combine)(Value *, const Value *)>
static __device__ Value block_combine(Value value) {
  enum { WARP_LANES = 32, WARPS = BLOCK / WARP_LANES };
  static_assert(BLOCK % WARP_LANES == 0, "a block must consist of whole warps");
  __shared__ Value of_warp[WARPS];

  // combine the values of each warp; only lane 0 ends with the warp's total
  for (int step = 1; step < WARP_LANES; step *= 2) {
    const Value other = value_further_on(value, step);
    combine(&value, &other);
  }
  if (threadIdx.x % WARP_LANES == 0) of_warp[threadIdx.x / WARP_LANES] = value;
  __syncthreads();

  if (threadIdx.x == 0)
    for (int warp = 1; warp < WARPS; warp++) combine(&value, &of_warp[warp]);
  return value;
}
