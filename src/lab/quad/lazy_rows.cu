// GPU kernels for a matrix in format lazy ELLPACK (lazy_rows.h), with one thread per row. One kernel sums entries of
// equal columns in each row. The other adds a diagonal matrix, and writes the diagonal of the sum to separate arrays.
#include "device/cuda_try.h"
#include "lab/quad/lazy_rows.h"

namespace lazy_rows {

enum { BLOCK = 128 };

static __global__ void __launch_bounds__(BLOCK) merge_kernel(LazyRows rows) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a < rows.n) rows.length[a] = lazy_merge(rows.length[a], lazy_base(rows.start, a), rows.column, rows.values);
}

static __global__ void __launch_bounds__(BLOCK)
    diagonal_kernel(LazyRows rows, const real *shift, real *blocks, real *diagonal, const int *wanted) {
  const int a = blockIdx.x * BLOCK + threadIdx.x;
  if (a >= rows.n || (wanted && !*wanted)) return;
  const real own =
      lazy_diagonal(a, rows.length[a], lazy_base(rows.start, a), rows.column, rows.values, shift ? shift[a] : (real)0);
  blocks[a] = own;
  if (diagonal) diagonal[a] = own;
}

extern "C" bool REAL_NAME(lazy_merge_cuda)(const LazyRows *rows, Stream stream, Error *error) {
  merge_kernel<<<rows->n / BLOCK + 1, BLOCK, 0, (cudaStream_t)stream.handle>>>(*rows);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" bool REAL_NAME(lazy_diagonal_cuda)(const LazyRows *rows, const real *shift, real *blocks, real *diagonal,
                                              const int *wanted, Stream stream, Error *error) {
  diagonal_kernel<<<rows->n / BLOCK + 1, BLOCK, 0, (cudaStream_t)stream.handle>>>(*rows, shift, blocks, diagonal,
                                                                                  wanted);
  CUDA_TRY(cudaGetLastError());
  return true;
}

}  // namespace lazy_rows
