// Packed lists (packed_lists.h) on the GPU, for the CUDA assemblies: their copies on the device, and the loop that sums
// along them. A list names sources, such as blocks of element matrices, and a target, such as a block of the system's
// matrix. The sum of the sources is stored to the target.
#pragma once
#include <vector>

#include "base/real.h"
#include "sim/assembly/packed_lists.h"
#include "sim/operator/block_slots.h"

// Copies an array to the device. *dev is NULL on failure.
template <typename T>
static bool put(T **dev, const std::vector<T> &host, Error *error) {
  *dev = (T *)device_clone(DEVICE_CUDA, host.data(), host.size() * sizeof(T), error);
  return *dev != NULL;
}

// Copy of a PackedLists on the device.
typedef struct ListsDev {
  int block_count;
  int64_t *start;
  int *entries;
} ListsDev;

static inline bool put_packed(ListsDev *dev, const PackedLists *packed, Error *error) {
  const size_t blocks = (size_t)packed->block_count;
  dev->block_count = packed->block_count;
  dev->start = (int64_t *)device_clone(DEVICE_CUDA, packed->start, sizeof *packed->start * (blocks + 1), error);
  dev->entries =
      (int *)device_clone(DEVICE_CUDA, packed->entries, sizeof *packed->entries * (size_t)packed->start[blocks], error);
  return dev->start && dev->entries;
}

static inline void free_lists(ListsDev *dev) {
  device_free(DEVICE_CUDA, dev->start);
  device_free(DEVICE_CUDA, dev->entries);
}

// Sums along the packed lists of one worker (Algorithm 2 of paper 000). Each list names the sources whose values are
// added, and at its end the target that gets the sum. A worker is one thread, or several threads that process the same
// lists, each for other values. `worker` is its number within the thread block, and lists are padded to batches of
// REDUCE_BATCH entries.
//
// The caller passes three functions:
//   load(source, value)  loads the VALUES numbers of a source that this thread sums
//   find(target)         loads the position to which a list's sum is stored
//   store(to, sum)       stores the sum there
// Waiting for memory limits this loop. So entries are loaded one batch ahead, and a target's position is loaded
// together with the values. Therefore `find` must only load, not compute.
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
    decltype(find(0)) to;
    if (complete) to = find(-entry[BATCH - 1] - 1);
#pragma unroll
    for (int b = 0; b < BATCH; b++)
#pragma unroll
      for (int v = 0; v < VALUES; v++) sum[v] += entry[b] > 0 ? value[b][v] : (real)0;
    if (!complete) continue;
    store(to, sum);
#pragma unroll
    for (int v = 0; v < VALUES; v++) sum[v] = 0;
  }
}

// Positions in the matrix of the block of a node pair (low, high), and of its transpose (high, low).
struct PairSlots {
  BlockSlots direct, transposed;
};

// Loads the positions of a pair's two blocks, 24 bytes, by three aligned 8-byte loads. All threads of a worker, which
// sum different rows of one block, load the same address.
static __device__ __forceinline__ PairSlots load_slots(const PairSlots *__restrict__ slots, int pair) {
  const int2 *__restrict__ from = (const int2 *)(slots + pair);
  const int2 a = from[0], b = from[1], c = from[2];
  const PairSlots loaded = { { a.x, a.y, b.x }, { b.y, c.x, c.y } };
  return loaded;
}

// Stores sum [VALUES] as row number `row` of a pair's block, and as column number `row` of the transposed block. A
// block that the matrix does not store is skipped.
template <int VALUES>
static __device__ __forceinline__ void store_row(const PairSlots &slots, int row, const real *sum,
                                                 real *__restrict__ matrix) {
  if (slots.direct.at >= 0)
#pragma unroll
    for (int k = 0; k < VALUES; k++) matrix[block_slot(slots.direct, row, k)] = sum[k];
  if (slots.transposed.at >= 0)
#pragma unroll
    for (int k = 0; k < VALUES; k++) matrix[block_slot(slots.transposed, k, row)] = sum[k];
}

// Loads a row that store_row has stored, from a pair's block or from its transpose. The result is 0 if the matrix
// stores neither block.
template <int VALUES>
static __device__ __forceinline__ void load_row(const PairSlots &slots, int row, const real *matrix, real *value) {
#pragma unroll
  for (int k = 0; k < VALUES; k++)
    value[k] = slots.direct.at >= 0       ? matrix[block_slot(slots.direct, row, k)]
               : slots.transposed.at >= 0 ? matrix[block_slot(slots.transposed, k, row)]
                                          : (real)0;
}

// Positions to which the sums of a node are stored. `node` is the node's number, which gives its entries of the vector.
// `block` is the position of its diagonal block in the matrix.
struct DiagonalSlots {
  int node;
  BlockSlots block;
};
