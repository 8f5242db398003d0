// Adds given numbers, called the shift, to the diagonal blocks of a stored matrix on the CPU. Then copies each diagonal
// block to A->blocks, and the diagonal entries to an array `diagonal`. Implements operator_shift.
#include "base/parallel.h"
#include "base/real.h"
#include "sim/operator/operator.h"

enum { CHUNK = 1024 };  // nodes per task

typedef struct Task {
  const Operator *A;
  const real *shift, *cross;
  int crosses;  // off-diagonal numbers per node in `cross`: 0, 1 for (x, y), or 3 for (x, y), (x, z), (y, z)
  real *diagonal;
} Task;

static void shift_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const Operator *A = t->A;
  const int dof = A->space->node_dof;
  const bool diagonal_first = A->method->diagonal_first;
  real *values = A->values, *blocks = A->blocks;
  for (int a = first; a < last; a++)
    for (int i = 0; i < dof; i++)
      for (int k = 0; k < dof; k++) {
        const int row = dof * a + i;
        const int64_t at = (int64_t)row * dof + k;
        real *entry = A->diagonal_last
                          ? blocks + at
                          : values + diagonal_block_slot(A->diagonal_slots[a], diagonal_first, dof, a, i, k);
        if (i == k) *entry += t->shift[row];
        if (i != k && i + k <= t->crosses) *entry += t->cross[t->crosses * a + i + k - 1];
        if (i == k && t->diagonal) t->diagonal[row] = *entry;
        if (!A->diagonal_last) blocks[at] = *entry;
      }
}

static bool shift_diagonal(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                           Stream stream, Error *error) {
  (void)stream, (void)error;
  if (wanted && !*wanted) return true;
  const Task task = { A, shift, (const real *)shift + A->n, crosses, diagonal };
  parallel_for_light(A->space->node_count, CHUNK, shift_chunk, &task);
  return true;
}

extern const ShiftOperations REAL_NAME(shift_cpu);
const ShiftOperations REAL_NAME(shift_cpu) = {
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .shift = shift_diagonal,
};
