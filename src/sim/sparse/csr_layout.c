// CSR's index arrays: see csr_layout.h.
#include "sim/sparse/csr_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

bool csr_layout_create(Matrix *A, Error *error) {
  const Pattern *p = A->pattern;
  const int n = p->n, first = matrix_diagonal_slots(A);
  const Device device = A->format->device;
  CsrLayout *layout = array_new(1, sizeof *layout, "matrix layout", error);
  int *row_start = array_new((int64_t)n + 1, sizeof *row_start, "matrix rows", error);
  int *col = array_new(p->row_start[n], sizeof *col, "matrix columns", error);
  if (!layout || !row_start || !col) goto failed;
  int count = 0;
  for (int i = 0; i < n && !interrupt_signal(); i++) {
    for (int s = p->row_start[i]; s < p->row_start[i + 1]; s++) {
      const bool apart = first && p->col[s] == i;
      A->slot[s] = apart ? i : first + count;
      if (!apart) col[count++] = p->col[s];
    }
    row_start[i + 1] = count;
  }
  if (!interrupt_check(error)) goto failed;
  A->slot_count = (int64_t)first + count;
  A->layout = layout;
  layout->row_start = device_clone(device, row_start, sizeof *row_start * ((size_t)n + 1), error);
  layout->col = device_clone(device, col, sizeof *col * (size_t)count, error);
  free(row_start);
  free(col);
  return layout->row_start && layout->col;
failed:
  free(layout);
  free(row_start);
  free(col);
  return false;
}

void csr_layout_destroy(Matrix *A) {
  CsrLayout *layout = A->layout;
  device_free(A->format->device, layout->row_start);
  device_free(A->format->device, layout->col);
  free(layout);
}
