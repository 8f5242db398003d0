// DCSR's index arrays: see dcsr_layout.h.
#include "sim/sparse/dcsr_layout.h"

#include <stdlib.h>

#include "base/array.h"

bool dcsr_layout_create(Matrix *A, Error *error) {
  const Pattern *p = A->pattern;
  const int n = p->n;
  const Device device = A->format->device;
  DcsrLayout *layout = array_new(1, sizeof *layout, "matrix layout", error);
  int *row_start = array_new((int64_t)n + 1, sizeof *row_start, "matrix rows", error);
  int *col = array_new(p->row_start[n], sizeof *col, "matrix columns", error);
  if (!layout || !row_start || !col) goto failed;
  int count = 0;
  for (int i = 0; i < n; i++) {
    for (int s = p->row_start[i]; s < p->row_start[i + 1]; s++) {
      A->slot[s] = p->col[s] == i ? i : n + count;
      if (p->col[s] != i) col[count++] = p->col[s];
    }
    row_start[i + 1] = count;
  }
  A->slot_count = (int64_t)n + count;
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

void dcsr_layout_destroy(Matrix *A) {
  DcsrLayout *layout = A->layout;
  device_free(A->format->device, layout->row_start);
  device_free(A->format->device, layout->col);
  free(layout);
}
