// Builds the pattern of a matrix over a tet mesh on the GPU; the CUDA version of pattern.c (paper 004, section 4.3). A
// thread lists the columns of one row. It builds the list in shared memory while it has at most NEAR columns, as almost
// all rows of degree 1 do, and then in the matrix's array of columns. Rows differ much in length, so each warp takes
// its next 32 rows from a global counter.
#include "device/cuda_try.h"
#include "device/device_sort.h"
#include "lab/simplex/simplex_row.h"

namespace pattern {

enum { THREADS = 256, ROW_THREADS = 64, NEAR = 63, RESIDENT = 24 };

static int blocks_for(int64_t count) {
  return (int)((count + THREADS - 1) / THREADS);
}

static int *take_ints(const SimplexTopology *t, int64_t count, Error *error) {
  return (int *)device_alloc_raw(t->memory.stream, sizeof(int) * (size_t)count, t->memory.pooled, error);
}

template <int DEGREE>
static __global__ void count_kernel(SimplexTopology t, int rows, int *length) {
  const int a = blockIdx.x * THREADS + threadIdx.x;
  if (a < rows) length[a] = simplex_row_length(DEGREE, &t, a);
}

static bool count(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  const auto kernel = t->degree == 1 ? count_kernel<1> : t->degree == 2 ? count_kernel<2> : count_kernel<3>;
  kernel<<<blocks_for(m->rows), THREADS, 0, (cudaStream_t)t->memory.stream.handle>>>(*t, m->rows, m->layout.length);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Prepares the sort of rows by length: for each row k sets number[k] = k and key[k] = INT32_MAX - length[k]. An
// ascending sort by this key puts the longest rows first.
static __global__ void key_kernel(int count, const int *length, int *key, int *number) {
  const int k = blockIdx.x * THREADS + threadIdx.x;
  if (k < count) {
    key[k] = INT32_MAX - length[k];
    number[k] = k;
  }
}

// Computes width [bins + 1], with one warp per bin. A bin is 32 rows, and its width is the number of blocks in its
// longest row, without the diagonal block. width[bins] becomes 0.
static __global__ void width_kernel(SimplexPattern m, int bins, int *width) {
  const int row = blockIdx.x * THREADS + threadIdx.x, lane = row % 32;
  int maximum = row < m.rows ? m.layout.length[node_of_row(&m, row)] - 1 : 0;
  for (int step = 16; step > 0; step /= 2) maximum = max(maximum, __shfl_xor_sync(0xffffffff, maximum, step));
  if (lane == 0 && row / 32 <= bins) width[row / 32] = maximum;
}

// Computes m->layout.node [bins * m->bin]: the nodes, sorted by decreasing length of their matrix rows. A bin is m->bin
// rows. The entries for rows after the last one are -1.
static bool order_rows(SimplexPattern *m, const SimplexTopology *t, int bins, Error *error) {
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  m->layout.node = take_ints(t, (int64_t)bins * m->bin, error);
  int *key = take_ints(t, 3 * (int64_t)m->rows, error), *sorted = key ? key + m->rows : NULL;
  int *number = key ? sorted + m->rows : NULL;
  size_t bytes = 0;
  void *scratch = NULL;
  bool ok = m->layout.node && key && device_sort_bytes(false, m->rows, &bytes, error);
  if (ok) {
    scratch = device_alloc_raw(t->memory.stream, bytes, t->memory.pooled, error);
    ok = scratch;
  }
  if (ok) {
    CUDA_TRY(cudaMemsetAsync(m->layout.node, 0xff, sizeof(int) * (size_t)bins * m->bin, stream));
    key_kernel<<<blocks_for(m->rows), THREADS, 0, stream>>>(m->rows, m->layout.length, key, number);
    CUDA_TRY(cudaGetLastError());
    ok =
        device_sort(scratch, bytes, false, key, sorted, number, m->layout.node, m->rows, 31, t->memory.stream, error) &&
        stream_sync(t->memory.stream, error);
  }
  device_free(DEVICE_CUDA, key);
  device_free(DEVICE_CUDA, scratch);
  return ok;
}

static bool offsets(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  const int bins = (m->rows + m->bin - 1) / m->bin;
  if (m->sorted && !order_rows(m, t, bins, error)) return false;
  int *width = take_ints(t, (int64_t)bins + 1, error);
  m->layout.start = take_ints(t, (int64_t)bins + 1, error);
  size_t bytes = 0;
  if (!device_add_up_bytes(bins + 1, &bytes, error)) return false;
  void *scratch = device_alloc_raw(t->memory.stream, bytes, t->memory.pooled, error);
  bool ok = width && m->layout.start && scratch;
  if (ok) {
    if (m->bin == 1) {
      CUDA_TRY(cudaMemcpyAsync(width, m->layout.length, sizeof(int) * (size_t)bins, cudaMemcpyDeviceToDevice, stream));
      CUDA_TRY(cudaMemsetAsync(width + bins, 0, sizeof(int), stream));
    } else {
      width_kernel<<<blocks_for(32 * ((int64_t)bins + 1)), THREADS, 0, stream>>>(*m, bins, width);
    }
    if (!device_add_up(scratch, bytes, true, width, m->layout.start, bins + 1, t->memory.stream, error)) return false;
    CUDA_TRY(cudaMemcpyAsync(&m->group_count, m->layout.start + bins, sizeof(int), cudaMemcpyDeviceToHost, stream));
    ok = stream_sync(t->memory.stream, error);
  }

  device_free(DEVICE_CUDA, width);
  device_free(DEVICE_CUDA, scratch);
  return ok;
}

// Assigns the next 32 rows to this warp: rows 32 w to 32 w + 31, where w is the result. Each call increases *counter by
// 1. All 32 threads of the warp call the function together and get the same w.
static __device__ __forceinline__ int next_warp(int *counter) {
  int warp = 0;
  if (threadIdx.x % 32 == 0) warp = atomicAdd(counter, 1);
  return __shfl_sync(0xffffffff, warp, 0);
}

template <int DEGREE>
static __global__ void __launch_bounds__(ROW_THREADS) column_kernel(SimplexTopology t, SimplexPattern m, int *counter) {
  __shared__ int near[NEAR * ROW_THREADS];
  for (int warp = next_warp(counter); warp < (m.rows + 31) / 32; warp = next_warp(counter)) {
    const int row = warp * 32 + threadIdx.x % 32;
    if (row < m.rows)
      row_columns(DEGREE, &t, NULL, node_of_row(&m, row), !m.diagonal_apart, near + threadIdx.x, ROW_THREADS, NEAR,
                  m.layout.column + row_first_slot(&m, row), m.bin);
    __syncwarp();
  }
}

static bool columns(SimplexPattern *m, const SimplexTopology *t, Error *error) {
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  int *counter = take_ints(t, 1, error);
  if (!counter) return false;
  const auto kernel = t->degree == 1 ? column_kernel<1> : t->degree == 2 ? column_kernel<2> : column_kernel<3>;
  bool ok = device_zero(t->memory.stream, counter, sizeof *counter, error) &&
            device_zero(t->memory.stream, m->layout.column, sizeof(int) * (size_t)simplex_slots(m), error);
  if (ok) {
    kernel<<<RESIDENT * device_multiprocessors(DEVICE_CUDA), ROW_THREADS, 0, stream>>>(*t, *m, counter);
    CUDA_TRY(cudaGetLastError());
    ok = stream_sync(t->memory.stream, error);
  }
  device_free(DEVICE_CUDA, counter);
  return ok;
}

template <int DEGREE>
static __global__ void __launch_bounds__(ROW_THREADS)
    source_kernel(SimplexTopology t, SimplexPattern m, int *end, int *source) {
  const int row = blockIdx.x * ROW_THREADS + threadIdx.x;
  if (row >= m.rows) return;
  const int64_t slot = row_first_slot(&m, row);
  row_sources(DEGREE, &t, &m, node_of_row(&m, row), m.layout.column + slot, m.bin, slot, end, source);
}

// Lists the sources of each block of the matrix, with one thread per row. A source is a block of an element matrix that
// is added to the matrix block. Counts the sources of each matrix block, computes from the counts where each list
// begins, and stores the sources.
static bool map(EntryMap *map, const SimplexPattern *m, const SimplexTopology *t, Error *error) {
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  const int64_t slots = simplex_slots(m);
  const auto kernel = t->degree == 1 ? source_kernel<1> : t->degree == 2 ? source_kernel<2> : source_kernel<3>;
  const int blocks = (m->rows + ROW_THREADS - 1) / ROW_THREADS;
  size_t bytes = 0;
  if (!device_add_up_bytes((int)slots, &bytes, error)) return false;
  void *scratch = device_alloc_raw(t->memory.stream, bytes, t->memory.pooled, error);
  if (!scratch) return false;
  CUDA_TRY(cudaMemsetAsync(map->end, 0, sizeof(int) * (size_t)slots, stream));
  kernel<<<blocks, ROW_THREADS, 0, stream>>>(*t, *m, map->end, NULL);
  if (!device_add_up(scratch, bytes, true, map->end, map->end, (int)slots, t->memory.stream, error)) return false;
  kernel<<<blocks, ROW_THREADS, 0, stream>>>(*t, *m, map->end, map->source);
  CUDA_TRY(cudaGetLastError());
  const bool ok = stream_sync(t->memory.stream, error);
  device_free(DEVICE_CUDA, scratch);
  return ok;
}

extern "C" const PatternOperations simplex_pattern_cuda = {
  .count = count,
  .offsets = offsets,
  .columns = columns,
  .map = map,
};

}  // namespace pattern
