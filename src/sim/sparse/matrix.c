// Sparse matrices: the list of formats and what is the same for all of them.
#include "sim/sparse/matrix.h"

#include <stdlib.h>

#include "base/array.h"

extern const MatrixFormat dcsr_cpu_f32, dcsr_cpu_f64, dhyb_cpu_f32, dhyb_cpu_f64;
#ifdef PLIANT_CUDA
extern const MatrixFormat dcsr_cuda_f32, dcsr_cuda_f64, dhyb_cuda_f32, dhyb_cuda_f64;
#endif

// for each device the default comes first
const MatrixFormat *const matrix_formats[] = {
  &dcsr_cpu_f32,  &dcsr_cpu_f64,  &dhyb_cpu_f32,  &dhyb_cpu_f64,
#ifdef PLIANT_CUDA
  &dhyb_cuda_f32, &dhyb_cuda_f64, &dcsr_cuda_f32, &dcsr_cuda_f64,
#endif
  NULL,
};

size_t precision_size(Precision precision) {
  return precision == PRECISION_F32 ? sizeof(float) : sizeof(double);
}

bool matrix_create(Matrix *A, const MatrixFormat *format, const Pattern *pattern, Error *error) {
  *A = (Matrix){ .format = format, .pattern = pattern };
  A->slot = array_new(pattern->row_start[pattern->n], sizeof *A->slot, "matrix slots", error);
  if (A->slot && format->create(A, error))
    A->values = device_alloc(format->device, (size_t)A->slot_count * precision_size(format->precision), error);
  if (A->values) return true;
  matrix_destroy(A);
  return error_prefix(error, "matrix format %s", format->name);
}

void matrix_destroy(Matrix *A) {
  if (A->layout) A->format->destroy_layout(A);
  if (A->format) device_free(A->format->device, A->values);
  free(A->slot);
  *A = (Matrix){ 0 };
}

bool matrix_spmv(const Matrix *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  return A->format->spmv(A, x, y, dots, stream, error);
}

void *matrix_diagonal(const Matrix *A) {
  return A->values;
}
