// Sorts and computes prefix sums on the GPU (device_sort.h).
#include "device/device_sort.h"

#define CCCL_DISABLE_NVTX  // without marks for profilers, this file compiles in 13 s instead of 15 s
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "device/cuda_try.h"

typedef unsigned Narrow;
typedef unsigned long long Wide;

// If `scratch` is NULL, the functions below compute nothing and only set `bytes` to the size of the work memory that
// they need.
static cudaError_t sort_narrow(void *scratch, size_t &bytes, const void *key, void *sorted, const int *from, int *to,
                               int count, int key_bits, cudaStream_t s) {
  return cub::DeviceRadixSort::SortPairs(scratch, bytes, (const Narrow *)key, (Narrow *)sorted, from, to, count, 0,
                                         key_bits, s);
}

static cudaError_t sort_wide(void *scratch, size_t &bytes, const void *key, void *sorted, const int *from, int *to,
                             int count, int key_bits, cudaStream_t s) {
  return cub::DeviceRadixSort::SortPairs(scratch, bytes, (const Wide *)key, (Wide *)sorted, from, to, count, 0,
                                         key_bits, s);
}

static cudaError_t scan(void *scratch, size_t &bytes, bool before, const int *from, int *to, int count,
                        cudaStream_t s) {
  return before ? cub::DeviceScan::ExclusiveSum(scratch, bytes, from, to, count, s)
                : cub::DeviceScan::InclusiveSum(scratch, bytes, from, to, count, s);
}

bool device_sort_bytes(bool wide, int count, size_t *bytes, Error *error) {
  CUDA_TRY((wide ? sort_wide : sort_narrow)(NULL, *bytes, NULL, NULL, NULL, NULL, count, wide ? 64 : 32, 0));
  return true;
}

bool device_add_up_bytes(int count, size_t *bytes, Error *error) {
  size_t other = 0;
  CUDA_TRY(scan(NULL, *bytes, false, NULL, NULL, count, 0));
  CUDA_TRY(scan(NULL, other, true, NULL, NULL, count, 0));
  if (other > *bytes) *bytes = other;
  return true;
}

bool device_sort(void *scratch, size_t bytes, bool wide, const void *key, void *sorted, const int *from, int *to,
                 int count, int key_bits, Stream stream, Error *error) {
  CUDA_TRY((wide ? sort_wide : sort_narrow)(scratch, bytes, key, sorted, from, to, count, key_bits,
                                            (cudaStream_t)stream.handle));
  return true;
}

bool device_add_up(void *scratch, size_t bytes, bool before, const int *from, int *to, int count, Stream stream,
                   Error *error) {
  CUDA_TRY(scan(scratch, bytes, before, from, to, count, (cudaStream_t)stream.handle));
  return true;
}
