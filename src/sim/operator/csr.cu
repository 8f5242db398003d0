// y = A x for CSR and DCSR on the GPU, the twin of csr.c (same slots). Eight lanes a row unless it is tuned: a row of a
// tet mesh has some 40 entries, so each lane takes five and a warp serves four rows. What a lane loads it loads BATCH
// at a time: columns first, then all x, since the way column -> x -> sum is what a row waits for. Sums have a fixed
// order: same bits every run.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/csr_layout.h"
#include "sim/operator/apply.cuh"

// row_start [n + 1], col [row_start[n]], values [first + row_start[n]], x and y [n], dots [blocks] or NULL; `first` is
// n where the diagonal stands in front, else 0
template <int LANES>
static __global__ void __launch_bounds__(APPLY_BLOCK)
    apply_kernel(int n, int first, const int *__restrict__ row_start, const int *__restrict__ col,
                 const real *__restrict__ values, const real *__restrict__ x, real *__restrict__ y,
                 double *__restrict__ dots) {
  const int row = blockIdx.x * (APPLY_BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const bool inside = row < n;  // nobody leaves: the shuffles below stay full
  const real own = inside ? x[row] : (real)0;
  real sum = inside && lane == 0 && first ? values[row] * own : (real)0;
  if (inside) sum += apply_run<LANES>(row_start[row] + lane, row_start[row + 1], col, values + first, x);
  for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (inside && lane == 0) y[row] = sum;
  apply_dot(lane == 0 ? (double)own * sum : 0, dots);
}

static const int lanes[] = { 1, 2, 4, 8, 16, 32, 0 };

static bool tune(Operator *A, Error *error) {
  (void)error;
  const int rows = APPLY_BLOCK / A->tuning;
  A->dot_count = A->n / rows + (A->n % rows > 0);
  return true;
}

static bool create(Operator *A, Error *error) {
  return tune(A, error) && csr_layout_create(A, error);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const CsrLayout *l = (const CsrLayout *)A->layout;
  const int t = A->tuning;
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
  { STAGE_OPERATOR, "csr", "compressed sparse rows", NULL, DEVICE_CUDA, REAL_PRECISION, false, csr_bytes },
  false,
  create,
  csr_layout_destroy,
  apply,
  NULL,
  NULL,
  NULL,
  NULL,
  lanes,
  8,
  tune,
};
const OperatorMethod REAL_NAME(dcsr_cuda) = {
  { STAGE_OPERATOR, "dcsr", "compressed sparse rows, diagonal first", NULL, DEVICE_CUDA, REAL_PRECISION, false,
    csr_bytes },
  true,
  create,
  csr_layout_destroy,
  apply,
  NULL,
  NULL,
  NULL,
  NULL,
  lanes,
  8,
  tune,
};
}
