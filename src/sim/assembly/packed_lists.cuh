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
                      int threads, int batch, ListHead head, Error *error) {
  PackedLists packed = { 0, NULL, NULL };
  const int blocks = (int)block_list.size() - 1;
  if (!packed_lists_create(&packed, blocks, block_list.data(), item_start, item, threads, batch, head, error))
    return false;
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

// Paper 000, Algorithm 2, for one thread of a worker: walks the worker's column of the reduction array, packed in
// batches of REDUCE_BATCH. load(source, value) gives the VALUES that this thread adds up, find(target) where they will
// go, and store(place, sum) puts them there. A column waits for latency, so entries are loaded a batch ahead, and the
// place together with values: find must load and not compute.
enum { REDUCE_BATCH = 8 };
template <int VALUES, typename Load, typename Find, typename Store>
static __device__ __forceinline__ void reduce(const ListsDev &lists, int block, int workers, int worker,
                                              const Load &load, const Find &find, const Store &store) {
  enum { BATCH = REDUCE_BATCH };
  const int64_t start = lists.start[block];
  const int *__restrict__ column = lists.entries + start + worker;
  const int depth = (int)(lists.start[block + 1] - start) / workers;
  int next[BATCH];
  real sum[VALUES] = {};
#pragma unroll
  for (int b = 0; b < BATCH; b++) next[b] = depth > 0 ? column[b * workers] : 0;
  for (int at = 0; at < depth; at += BATCH) {
    int entry[BATCH];
    real value[BATCH][VALUES];
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
      entry[b] = next[b];
      next[b] = at + BATCH < depth ? column[(at + BATCH + b) * workers] : 0;
    }
#pragma unroll
    for (int b = 0; b < BATCH; b++)
      if (entry[b] > 0) load(entry[b] - 1, value[b]);
    const bool complete = entry[BATCH - 1] < 0;
    decltype(find(0)) place;
    if (complete) place = find(-entry[BATCH - 1] - 1);
#pragma unroll
    for (int b = 0; b < BATCH; b++)
#pragma unroll
      for (int v = 0; v < VALUES; v++) sum[v] += entry[b] > 0 ? value[b][v] : (real)0;
    if (!complete) continue;
    store(place, sum);
#pragma unroll
    for (int v = 0; v < VALUES; v++) sum[v] = 0;
  }
}

// Where one row of a pair's block goes: as (low, high), and transposed as (high, low), or -1.
template <int VALUES>
struct RowSlots {
  int there[VALUES], back[VALUES];
};

// slot: pair_slots, from the block's first pair on
template <int VALUES>
static __device__ __forceinline__ RowSlots<VALUES> row_slots(const int *__restrict__ slot, int pair, int row) {
  RowSlots<VALUES> slots;
  const int *first = slot + (pair * 2 * VALUES + row) * VALUES;
#pragma unroll
  for (int k = 0; k < VALUES; k++) slots.there[k] = first[k], slots.back[k] = first[VALUES * VALUES + k];
  return slots;
}

template <int VALUES>
static __device__ __forceinline__ void store_row(const RowSlots<VALUES> &slots, const real *sum,
                                                 real *__restrict__ matrix) {
#pragma unroll
  for (int k = 0; k < VALUES; k++) matrix[slots.there[k]] = sum[k];
  if (slots.back[0] < 0) return;
#pragma unroll
  for (int k = 0; k < VALUES; k++) matrix[slots.back[k]] = sum[k];
}

// Where one row of a node goes: the node in the vector, and that row of its own block in the matrix.
template <int VALUES>
struct NodeSlots {
  int node, there[VALUES];
};
