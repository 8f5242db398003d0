// Computes element matrices and their sums on the GPU, the CUDA version of summation.c (paper 004, section 4.4).
//
// Element matrices: a thread block processes ELEMENT_TETS tets, with their geometry and the weights (bernstein_weights)
// in shared memory. Each thread computes one 3 x 3 block at a time, that of one pair of nodes of one tet. Blocks are
// written through shared memory, so that neighbouring threads store to neighbouring addresses.
//
// Sums: in the methods persimplex and inline, one thread sums a row of blocks; it keeps up to NEAR columns of the row
// in shared memory. In the method perentry, one thread sums one block of the matrix.
#include "device/cuda_try.h"
#include "lab/simplex/simplex_block.h"
#include "lab/simplex/simplex_matrix.h"

enum { ELEMENT_THREADS = 128, ELEMENT_TETS = 16, ROW_THREADS = 64, NEAR = 63, SLOT_THREADS = 256 };

template <int DEGREE>
struct Degree {
  static constexpr int NODES = (DEGREE + 1) * (DEGREE + 2) * (DEGREE + 3) / 6, PAIRS = NODES * (NODES + 1) / 2;
};

template <int DEGREE>
static __global__ void __launch_bounds__(ELEMENT_THREADS)
    element_kernel(SimplexTopology t, const real *__restrict__ weight, real lambda, real mu,
                   real *__restrict__ records) {
  constexpr int PAIRS = Degree<DEGREE>::PAIRS;
  __shared__ real weights[16 * PAIRS];
  __shared__ TetGeometry geometry[ELEMENT_TETS];
  __shared__ real stage[ELEMENT_THREADS * 9];
  const int first = blockIdx.x * ELEMENT_TETS, tets = min(ELEMENT_TETS, t.tet_count - first);
  for (int k = threadIdx.x; k < 16 * PAIRS; k += ELEMENT_THREADS) weights[k] = weight[k];
  if (threadIdx.x < tets) geometry[threadIdx.x] = tet_geometry(&t, first + threadIdx.x, lambda, mu);
  __syncthreads();
  for (int begin = 0; begin < tets * PAIRS; begin += ELEMENT_THREADS) {
    const int mine = begin + threadIdx.x, here = min(ELEMENT_THREADS, tets * PAIRS - begin);
    if (mine < tets * PAIRS) {
      real block[9];
      tet_block(weights, PAIRS, mine % PAIRS, &geometry[mine / PAIRS], block);
      for (int c = 0; c < 9; c++) stage[threadIdx.x * 9 + c] = block[c];
    }
    __syncthreads();
    real *out = records + ((size_t)first * PAIRS + begin) * 9;
    for (int k = threadIdx.x; k < here * 9; k += ELEMENT_THREADS) out[k] = stage[k];
    __syncthreads();
  }
}

template <int DEGREE, bool MADE>
static __global__ void __launch_bounds__(ROW_THREADS)
    row_kernel(SimplexTopology t, SimplexPattern m, BlockSource from, real *values, real *diagonal_blocks) {
  constexpr int WEIGHTS = MADE ? 16 * Degree<DEGREE>::PAIRS : 1;
  __shared__ int near[NEAR * ROW_THREADS];
  __shared__ real weights[WEIGHTS];
  if (MADE) {
    for (int k = threadIdx.x; k < WEIGHTS; k += ROW_THREADS) weights[k] = from.weight[k];
    from.weight = weights;
    from.record = NULL;
    __syncthreads();
  }
  const int row = blockIdx.x * ROW_THREADS + threadIdx.x;
  if (row >= m.rows) return;
  const int *list = m.layout.column + row_first_slot(&m, row);
  const int count = m.layout.length[node_of_row(&m, row)] - m.diagonal_apart;
  int step = m.bin;
  if (count <= NEAR) {
    for (int k = 0; k < count; k++) near[k * ROW_THREADS + threadIdx.x] = list[k * step];
    list = near + threadIdx.x;
    step = ROW_THREADS;
  }
  sum_row(DEGREE, MADE, &t, NULL, &m, row, list, step, &from, values, diagonal_blocks);
}

template <int DEGREE>
static __global__ void __launch_bounds__(SLOT_THREADS)
    slot_kernel(EntryMap map, SimplexPattern m, int64_t slots, BlockSource from, real *values) {
  const int64_t slot = (int64_t)blockIdx.x * SLOT_THREADS + threadIdx.x;
  if (slot < slots) sum_slot(DEGREE, &map, &m, slot, &from, values);
}

template <int DEGREE>
static __global__ void __launch_bounds__(ROW_THREADS)
    diagonal_kernel(SimplexTopology t, int rows, BlockSource from, real *diagonal_blocks) {
  const int a = blockIdx.x * ROW_THREADS + threadIdx.x;
  if (a < rows) sum_diagonal(DEGREE, &t, a, &from, diagonal_blocks);
}

template <int DEGREE>
static bool make_elements(const SimplexMatrix *A, Error *error) {
  const SimplexTopology *t = A->topology;
  element_kernel<DEGREE>
      <<<(t->tet_count + ELEMENT_TETS - 1) / ELEMENT_TETS, ELEMENT_THREADS, 0, (cudaStream_t)t->memory.stream.handle>>>(
          *t, (const real *)A->weight, (real)A->build.lambda, (real)A->build.mu, (real *)A->records);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool elements(const SimplexMatrix *A, Error *error) {
  return (A->topology->degree == 1   ? make_elements<1>
          : A->topology->degree == 2 ? make_elements<2>
                                     : make_elements<3>)(A, error);
}

template <int DEGREE>
static bool add_up(const SimplexMatrix *A, Error *error) {
  const SimplexTopology *t = A->topology;
  const SimplexPattern *m = &A->pattern;
  const cudaStream_t stream = (cudaStream_t)t->memory.stream.handle;
  const BlockSource from = { (const real *)A->records, (const real *)A->weight, (real)A->build.lambda,
                             (real)A->build.mu };
  const int row_blocks = (m->rows + ROW_THREADS - 1) / ROW_THREADS;
  real *values = (real *)A->values, *diagonal_blocks = (real *)A->diagonal_blocks;
  if (A->build.summation == SUM_PERENTRY) {
    const int64_t slots = simplex_slots(m);
    slot_kernel<DEGREE><<<(unsigned)((slots + SLOT_THREADS - 1) / SLOT_THREADS), SLOT_THREADS, 0, stream>>>(
        A->map, *m, slots, from, values);
    if (diagonal_blocks)
      diagonal_kernel<DEGREE><<<row_blocks, ROW_THREADS, 0, stream>>>(*t, m->rows, from, diagonal_blocks);
  } else if (A->build.summation == SUM_INLINE) {
    row_kernel<DEGREE, true><<<row_blocks, ROW_THREADS, 0, stream>>>(*t, *m, from, values, diagonal_blocks);
  } else {
    row_kernel<DEGREE, false><<<row_blocks, ROW_THREADS, 0, stream>>>(*t, *m, from, values, diagonal_blocks);
  }
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool sum(const SimplexMatrix *A, Error *error) {
  return (A->topology->degree == 1 ? add_up<1> : A->topology->degree == 2 ? add_up<2> : add_up<3>)(A, error);
}

extern "C" {
extern const SummationOperations REAL_NAME(summation_cuda);
const SummationOperations REAL_NAME(summation_cuda) = {
  .device = DEVICE_CUDA,
  .precision = REAL_PRECISION,
  .elements = elements,
  .sum = sum,
};
}
