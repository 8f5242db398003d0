// What the assemblies on the GPU share: packed lists on the device and the walk along them.
#pragma once
#include <vector>

#include "base/real.h"
#include "sim/assembly/packed_lists.h"

// copies an array to the device; the pointer stays NULL on failure
template <typename T>
static bool put(T **dev, const std::vector<T> &host, Error *error) {
  *dev = (T *)device_clone(DEVICE_CUDA, host.data(), host.size() * sizeof(T), error);
  return *dev != NULL;
}

// PackedLists on the device
typedef struct ListsDev {
  int block_count;
  int64_t *start;
  int *entries;
} ListsDev;

static bool put_lists(ListsDev *dev, const std::vector<int> &block_list, const int64_t *item_start, const int *item,
                      int threads, ListHead head, Error *error) {
  PackedLists packed = { 0, NULL, NULL };
  const int blocks = (int)block_list.size() - 1;
  if (!packed_lists_create(&packed, blocks, block_list.data(), item_start, item, threads, head, error)) return false;
  dev->block_count = blocks;
  dev->start = (int64_t *)device_clone(DEVICE_CUDA, packed.start, sizeof *packed.start * ((size_t)blocks + 1), error);
  dev->entries =
      (int *)device_clone(DEVICE_CUDA, packed.entries, sizeof *packed.entries * (size_t)packed.start[blocks], error);
  packed_lists_destroy(&packed);
  return dev->start && dev->entries;
}

static void free_lists(ListsDev *dev) {
  device_free(DEVICE_CUDA, dev->start);
  device_free(DEVICE_CUDA, dev->entries);
}

// Paper 000, Algorithm 2, for one worker of WORKERS: walks its column of the reduction array, adds load(source) up and
// hands each sum to store(target). Entries and then values are loaded a batch at a time: what a column waits for is
// latency.
template <int WORKERS, typename Load, typename Store>
static __device__ __forceinline__ void reduce(const ListsDev &lists, int block, int worker, const Load &load,
                                              const Store &store) {
  enum { BATCH = 6 };
  const int64_t last = lists.start[block + 1];
  const int *__restrict__ entries = lists.entries;
  real sum = 0;
  for (int64_t at = lists.start[block] + worker; at < last; at += BATCH * WORKERS) {
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
