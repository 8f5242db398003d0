// Packed lists (packed_lists.h) on the GPU: copies in GPU memory, and the loop that sums along them. The items of a
// list are sources: each names a group of numbers, such as a block of an element matrix. The list's last entry names
// its target: the block of the system's matrix to which the sum is written.
#pragma once
#include <vector>

#include "base/real.h"
#include "sim/assembly/packed_lists.h"
#include "sim/operator/block_slots.h"

// Copies an array to GPU memory and sets *dev to the copy. *dev is NULL on failure.
template <typename T>
static bool put(T **dev, const std::vector<T> &host, Error *error) {
  *dev = (T *)device_clone(DEVICE_CUDA, host.data(), host.size() * sizeof(T), error);
  return *dev != NULL;
}

// Copy of a PackedLists in GPU memory.
typedef struct ListsDev {
  int block_count;  // number of thread blocks
  int64_t *start;   // [block_count + 1], index in `entries` of each thread block's first entry
  int *entries;     // all lists, one thread block after the other: items, heads and padding (packed_lists.h)
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

// Sums along the packed lists of one worker (Algorithm 2 of paper 000). A worker is a thread, or a group of threads
// that read the same lists. In a group, each thread sums some of the numbers, such as one row of a 3 x 3 block. worker:
// index of the worker in the thread block. workers: number of workers in the thread block.
//
// The caller passes three functions. A source is an item of a list; the target is the list's last entry.
//   load(source, value)  loads the VALUES numbers of a source that this thread sums
//   find(target)         loads the position at which the target's sum is stored
//   store(to, sum)       stores the sum at this position
// The latency of memory limits the speed of the loop. Therefore it already loads the next REDUCE_BATCH entries while it
// sums the present ones. `find` is called before the sums are computed, so that its load runs together with the other
// loads. So it must only load: a computation with the loaded value would wait for it.
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

// Positions in the matrix of the two blocks of a pair of nodes (a, b): `direct` for block (a, b), `transposed` for
// block (b, a). A BlockSlots (block_slots.h) has the index `at` of the block's first entry, and the steps to the next
// row and column. If the matrix does not store the block, `at` is negative.
struct PairSlots {
  BlockSlots direct, transposed;
};

// Loads the positions of a pair's two blocks, 24 bytes, by three aligned loads of 8 bytes. Threads that sum different
// rows of one block load the same address, so these loads cost no more than those of one thread.
static __device__ __forceinline__ PairSlots load_slots(const PairSlots *__restrict__ slots, int pair) {
  const int2 *__restrict__ from = (const int2 *)(slots + pair);
  const int2 a = from[0], b = from[1], c = from[2];
  const PairSlots loaded = { { a.x, a.y, b.x }, { b.y, c.x, c.y } };
  return loaded;
}

// Stores one row of a pair's block: `sum` [VALUES] becomes row `row` of block (a, b) and column `row` of block (b, a).
// `matrix` is the array of the matrix's values. A block that the matrix does not store is skipped.
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

// Loads row `row` of the block (a, b) of two nodes to `value` [VALUES]. If the matrix stores only the transposed block
// (b, a), column `row` of that block is loaded. If the matrix stores neither block, the result is 0.
template <int VALUES>
static __device__ __forceinline__ void load_row(const PairSlots &slots, int row, const real *matrix, real *value) {
#pragma unroll
  for (int k = 0; k < VALUES; k++)
    value[k] = slots.direct.at >= 0       ? matrix[block_slot(slots.direct, row, k)]
               : slots.transposed.at >= 0 ? matrix[block_slot(slots.transposed, k, row)]
                                          : (real)0;
}

// Positions at which the sums of one node are stored. node: number of the node in the mesh; its force is stored in the
// vector from index node * node_dof on. block: position of the node's diagonal block in the array of the matrix's
// values.
struct DiagonalSlots {
  int node;
  BlockSlots block;
};
