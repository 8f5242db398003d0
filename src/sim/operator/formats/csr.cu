// Computes y = A x for CSR and DCSR on the GPU (CUDA version of csr.c). Several threads, called lanes, process a row
// together. With 8 lanes, lane 0 multiplies the entries 0, 8, 16, ... of the row by x, and lane 1 the entries 1, 9, 17,
// ... The sums of the lanes are added in a fixed order, so every run gives the same bits.
//
// If the user does not choose the number of lanes (the tuning number of the format), a row has eight lanes. A row of a
// tet mesh has some 40 entries, five per lane. Rows of meshes with one unknown per node are shorter and get fewer
// lanes.
//
// If rows have very different lengths, lanes wait for the longest row of their warp. The user can avoid this wait by a
// special tuning number, WHOLE, which selects another kernel, stream_kernel. Each of its thread blocks processes
// consecutive rows with at most STREAM entries in total. Neighbouring threads multiply neighbouring entries by x,
// whatever their rows, and write the products to shared memory. Then each row gets some threads, which read the
// products of the row from shared memory and sum them.
#include <vector>

#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/csr_layout.h"
#include "sim/operator/formats/apply.cuh"

namespace csr_operator {

// Computes y = A x [n] with LANES threads per row. row_start is [n + 1], col [row_start[n]], values [first +
// row_start[n]]. `first` is the number of diagonal entries at the front of `values`: n for DCSR, 0 for CSR. dots gets a
// partial sum of x.y per thread block, or is NULL.
template <int LANES>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int n, int first, const int *__restrict__ row_start, const int *__restrict__ col,
                 const real *__restrict__ values, const real *__restrict__ x, real *__restrict__ y,
                 double *__restrict__ dots) {
  const int row = blockIdx.x * (APPLY_BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const bool inside = row < n;  // no thread returns early: the shuffles below need full warps
  const real own = inside ? x[row] : (real)0;
  real sum = inside && lane == 0 && first ? values[row] * own : (real)0;
  if (inside) sum += apply_run<LANES>(row_start[row] + lane, row_start[row + 1], col, values + first, x);
  for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
  apply_dot(lane == 0 ? (double)own * sum : 0, dots);
}

// WHOLE: value of the tuning number that selects stream_kernel. STREAM: max number of entries whose products with x a
// thread block of stream_kernel keeps in shared memory. BATCH: number of these entries that one thread multiplies.
enum { WHOLE = APPLY_BLOCK, STREAM = 2048, BATCH = STREAM / APPLY_BLOCK };

// Returns the number of threads per row, a power of two up to 32, for a thread block of APPLY_BLOCK threads that
// together sum `rows` rows. Example: 40 rows and 256 threads give 4 threads per row.
static __device__ __forceinline__ int lanes_of(int rows) {
  int lanes = 1;
  while (lanes < 32 && 2 * lanes * rows <= APPLY_BLOCK) lanes *= 2;
  return lanes;
}

// Computes y = A x if the tuning number is WHOLE. A thread block multiplies the entries of its rows by x, writes the
// products to shared memory, and then sums the products of each row. block_row [blocks + 1] is the first row of each
// thread block. row_start is [n + 1], col [row_start[n]], values [first + row_start[n]], x and y [n]. `first` is n for
// DCSR, 0 for CSR. dots gets a partial sum of x.y per thread block, or is NULL.
static __global__ void __launch_bounds__(APPLY_BLOCK)
    stream_kernel(int first, const int *__restrict__ block_row, const int *__restrict__ row_start,
                  const int *__restrict__ col, const real *__restrict__ values, const real *__restrict__ x,
                  real *__restrict__ y, double *__restrict__ dots) {
  __shared__ real products[STREAM];
  const int row0 = block_row[blockIdx.x], rows = block_row[blockIdx.x + 1] - row0, begin = row_start[row0];
  const int count = row_start[row0 + rows] - begin, lanes = lanes_of(rows);
  const int row = row0 + threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const bool inside = threadIdx.x / lanes < rows;  // no thread returns early: barriers and shuffles need all threads
  real sum = 0;

  // The loop has one pass, except if the thread block has only one row, of more than STREAM entries.
  for (int done = 0; done < count; done += STREAM) {
    int c[BATCH];
    real v[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const int at = done + k * APPLY_BLOCK + threadIdx.x;
      c[k] = at < count ? col[begin + at] : -1;
      v[k] = at < count ? __ldcs(values + first + begin + at) : (real)0;
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++)
      if (c[k] >= 0) products[k * APPLY_BLOCK + threadIdx.x] = v[k] * x[c[k]];
    __syncthreads();
    if (inside) {
      const int from = row_start[row] - begin - done, to = row_start[row + 1] - begin - done;
      for (int at = (from > 0 ? from : 0) + lane; at < (to < STREAM ? to : STREAM); at += lanes) sum += products[at];
    }
    __syncthreads();
  }

  for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  const real own = inside && lane == 0 ? x[row] : (real)0;
  if (inside && lane == 0) {
    if (first) sum += values[row] * own;
    y[row] = sum;
  }
  apply_dot(inside && lane == 0 ? (double)own * sum : 0, dots);
}

// Divides the rows among the thread blocks of stream_kernel, and writes the first row of each thread block to
// CsrLayout.block_row. A thread block gets at most APPLY_BLOCK rows and STREAM entries. A row with more entries than
// STREAM gets a thread block of its own.
static bool divide_rows(Operator *A, Error *error) {
  CsrLayout *l = (CsrLayout *)A->layout;
  std::vector<int> start((size_t)A->n + 1), block_row(1, 0);
  CUDA_TRY(cudaMemcpy(start.data(), l->row_start, sizeof(int) * start.size(), cudaMemcpyDeviceToHost));
  for (int row = 0; row < A->n;) {
    int end = row + 1;
    while (end < A->n && end - row < APPLY_BLOCK && start[end + 1] - start[row] <= STREAM) end++;
    block_row.push_back(row = end);
  }
  l->block_count = (int)block_row.size() - 1;
  device_free(DEVICE_CUDA, l->block_row);
  l->block_row = (int *)device_clone(DEVICE_CUDA, block_row.data(), sizeof(int) * block_row.size(), error);
  return l->block_row;
}

static const int lanes[] = { 1, 2, 4, 8, 16, 32, WHOLE, 0 };

static bool tune(Operator *A, Error *error) {
  return A->tuning != WHOLE || divide_rows(A, error);
}

static int count_dots(const Operator *A) {
  if (A->tuning == WHOLE) return ((const CsrLayout *)A->layout)->block_count;
  const int rows = APPLY_BLOCK / A->tuning;
  return A->n / rows + (A->n % rows > 0);
}

static bool create(Operator *A, Error *error) {
  A->tuning = apply_usual_lanes(A);
  return csr_layout_create(A, error);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const CsrLayout *l = (const CsrLayout *)A->layout;
  const int t = A->tuning;
  if (t == WHOLE) {
    stream_kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
        operator_diagonal_slots(A), l->block_row, l->row_start, l->col, (const real *)A->values, (const real *)x,
        (real *)y, dots);
    CUDA_TRY(cudaGetLastError());
    return true;
  }
  const auto kernel = t == 1    ? apply_kernel<1>
                      : t == 2  ? apply_kernel<2>
                      : t == 4  ? apply_kernel<4>
                      : t == 8  ? apply_kernel<8>
                      : t == 16 ? apply_kernel<16>
                                : apply_kernel<32>;
  kernel<<<A->dot_count, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(A->n, operator_diagonal_slots(A), l->row_start,
                                                                        l->col, (const real *)A->values,
                                                                        (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const OperatorMethod REAL_NAME(csr_cuda), REAL_NAME(dcsr_cuda);
const OperatorMethod REAL_NAME(csr_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "csr",
             .summary = "compressed sparse rows",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = csr_bytes },
  .create = create,
  .destroy_layout = csr_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
  .tunings = lanes,
  .tuned = 8,
  .tune = tune,
};
const OperatorMethod REAL_NAME(dcsr_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dcsr",
             .summary = "compressed sparse rows, with all diagonal entries stored first",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = csr_bytes },
  .diagonal_first = true,
  .create = create,
  .destroy_layout = csr_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
  .tunings = lanes,
  .tuned = 8,
  .tune = tune,
};
}

}  // namespace csr_operator
