// A += diag(shift) on the CPU.
#include "base/parallel.h"
#include "base/real.h"
#include "sim/sparse/matrix.h"

enum { CHUNK = 2048 };

typedef struct Task {
  const int *slot;
  const real *shift;
  real *values, *diagonal;
} Task;

static void shift_chunk(const void *task, int first, int last) {
  const Task *t = task;
  for (int i = first; i < last; i++) t->diagonal[i] = t->values[t->slot[i]] += t->shift[i];
}

static bool shift_diagonal(Matrix *A, const void *shift, void *diagonal, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for_light(A->pattern->n, CHUNK, shift_chunk, &(Task){ A->diagonal, shift, A->values, diagonal });
  return true;
}

extern const DiagonalOperations REAL_NAME(diagonal_cpu);
const DiagonalOperations REAL_NAME(diagonal_cpu) = { DEVICE_CPU, REAL_PRECISION, shift_diagonal };
