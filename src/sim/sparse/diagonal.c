// A += diag(shift) on the CPU.
#include "base/real.h"
#include "sim/sparse/matrix.h"

static bool shift_diagonal(Matrix *A, const void *shift_, void *diagonal_, Stream stream, Error *error) {
  (void)stream, (void)error;
  const int *slot = A->diagonal;
  const real *shift = shift_;
  real *values = A->values, *diagonal = diagonal_;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < A->pattern->n; i++) diagonal[i] = values[slot[i]] += shift[i];
  return true;
}

extern const DiagonalOperations REAL_NAME(diagonal_cpu);
const DiagonalOperations REAL_NAME(diagonal_cpu) = { DEVICE_CPU, REAL_PRECISION, shift_diagonal };
