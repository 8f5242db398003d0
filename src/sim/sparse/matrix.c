// Sparse matrices: the list of formats and what is the same for all of them.
#include "sim/sparse/matrix.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

// for each device the default comes first, and then as paper 000 lists them
#define CPU_FORMATS(X) X(dcsr_cpu) X(coo_cpu) X(csr_cpu) X(hyb_cpu) X(dcoo_cpu) X(dhyb_cpu)
#ifdef PLIANT_CUDA
#define FORMATS(X) CPU_FORMATS(X) X(dhyb_cuda) X(coo_cuda) X(csr_cuda) X(hyb_cuda) X(dcoo_cuda) X(dcsr_cuda)
#define DIAGONALS(X) X(diagonal_cpu) X(diagonal_cuda)
#else
#define FORMATS(X) CPU_FORMATS(X)
#define DIAGONALS(X) X(diagonal_cpu)
#endif

#define DECLARE_FORMAT(name) extern const MatrixFormat name##_f32, name##_f64;
#define DECLARE_DIAGONAL(name) extern const DiagonalOperations name##_f32, name##_f64;
#define LIST_BOTH(name) &name##_f32, &name##_f64,
FORMATS(DECLARE_FORMAT)
DIAGONALS(DECLARE_DIAGONAL)

const MatrixFormat *const matrix_formats[] = { FORMATS(LIST_BOTH) NULL };

static const DiagonalOperations *const diagonal_operations[] = { DIAGONALS(LIST_BOTH) NULL };

size_t precision_size(Precision precision) {
  return precision == PRECISION_F32 ? sizeof(float) : sizeof(double);
}

// where the diagonal's entries stand; a row without one gets slot 0, which no shift may then use
static bool find_diagonal(Matrix *A, Error *error) {
  const Pattern *p = A->pattern;
  int *slots = array_new(p->n, sizeof *slots, "matrix rows", error);
  if (!slots) return false;
  for (int i = 0; i < p->n && !interrupt_signal(); i++) {
    const int at = pattern_find(p, i, i);
    slots[i] = at >= 0 ? A->slot[at] : A->format->diagonal_first ? i : 0;
  }
  A->diagonal = device_clone(A->format->device, slots, sizeof *slots * (size_t)p->n, error);
  free(slots);
  return A->diagonal;
}

// where x and y of one node meet
static bool find_cross(Matrix *A, Error *error) {
  const Pattern *p = A->pattern;
  if (p->node_dof != 3) return true;
  int(*slots)[2] = array_new(p->n / 3, sizeof *slots, "matrix rows", error);
  if (!slots) return false;
  for (int a = 0; a < p->n / 3; a++) {
    slots[a][0] = A->slot[pattern_find(p, 3 * a, 3 * a + 1)];
    slots[a][1] = A->slot[pattern_find(p, 3 * a + 1, 3 * a)];
  }
  A->cross = device_clone(A->format->device, slots, sizeof *slots * (size_t)(p->n / 3), error);
  free(slots);
  return A->cross;
}

bool matrix_create(Matrix *A, const MatrixFormat *format, const Pattern *pattern, Error *error) {
  *A = (Matrix){ .format = format, .pattern = pattern };
  A->slot = array_new(pattern->row_start[pattern->n], sizeof *A->slot, "matrix slots", error);
  if (A->slot && format->create(A, error) && find_diagonal(A, error) && find_cross(A, error))
    A->values = device_alloc(format->device, (size_t)A->slot_count * precision_size(format->precision), error);
  if (A->values) return true;
  matrix_destroy(A);
  return error_prefix(error, "matrix format %s", format->name);
}

void matrix_destroy(Matrix *A) {
  if (A->layout) A->format->destroy_layout(A);
  if (A->format) {
    device_free(A->format->device, A->values);
    device_free(A->format->device, A->diagonal);
    device_free(A->format->device, A->cross);
  }
  free(A->slot);
  *A = (Matrix){ 0 };
}

bool matrix_spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  return A->format->spmv(A, x, y, dots, stream, error);
}

bool matrix_shift(Matrix *A, const void *shift, bool with_cross, void *diagonal, Stream stream, Error *error) {
  int k = 0;
  while (diagonal_operations[k]->device != A->format->device ||
         diagonal_operations[k]->precision != A->format->precision)
    k++;
  return diagonal_operations[k]->shift(A, shift, with_cross, diagonal, stream, error);
}
