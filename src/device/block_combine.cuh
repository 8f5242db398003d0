// Sums and minima over a block of threads by CUB, in a fixed tree: the same bits in every run.
#pragma once
#include <cub/block/block_reduce.cuh>

static __device__ __forceinline__ void add(double *sum, const double *more) {
  *sum += *more;
}
static __device__ __forceinline__ void keep_smaller(double *low, const double *other) {
  *low = *low < *other ? *low : *other;
}

/// Puts together the values of a block's threads by combine(&value, &another); thread 0 gets the result. Once in a
/// kernel.
template <int BLOCK, typename Value, void (*combine)(Value *, const Value *)>
static __device__ Value block_combine(const Value &value) {
  typedef cub::BlockReduce<Value, BLOCK> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  return Reduce(storage).Reduce(value, [](Value combined, const Value &another) {
    combine(&combined, &another);
    return combined;
  });
}
