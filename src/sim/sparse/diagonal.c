// A += shift on the CPU.
#include "base/parallel.h"
#include "base/real.h"
#include "sim/sparse/matrix.h"

enum { CHUNK = 2048 };

typedef struct Task {
  const int *slot, *cross;
  const real *shift, *cross_shift;
  real *values, *diagonal;
} Task;

static void shift_chunk(const void *task, int first, int last) {
  const Task *t = task;
  for (int i = first; i < last; i++) t->diagonal[i] = t->values[t->slot[i]] += t->shift[i];
}

static void cross_chunk(const void *task, int first, int last) {
  const Task *t = task;
  for (int k = first; k < last; k++) t->values[t->cross[k]] += t->cross_shift[k / 2];
}

static bool shift_diagonal(Matrix *A, const void *shift, bool with_cross, void *diagonal, Stream stream,
                           Error *error) {
  (void)stream, (void)error;
  const int n = A->pattern->n;
  const Task task = { A->diagonal, A->cross, shift, (const real *)shift + n, A->values, diagonal };
  parallel_for_light(n, CHUNK, shift_chunk, &task);
  if (with_cross) parallel_for_light(n / 3 * 2, CHUNK, cross_chunk, &task);
  return true;
}

extern const DiagonalOperations REAL_NAME(diagonal_cpu);
const DiagonalOperations REAL_NAME(diagonal_cpu) = { DEVICE_CPU, REAL_PRECISION, shift_diagonal };
