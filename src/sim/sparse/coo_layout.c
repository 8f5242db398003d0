// COO's index arrays: see coo_layout.h.
#include "sim/sparse/coo_layout.h"

#include <stdlib.h>

#include "base/array.h"

bool coo_layout_create(Matrix *A, int **row_host, Error *error) {
  const Pattern *p = A->pattern;
  const int n = p->n, first = matrix_diagonal_slots(A);
  const Device device = A->format->device;
  CooLayout *layout = A->layout = array_new(1, sizeof *layout, "matrix layout", error);
  int *row = array_new(p->row_start[n], sizeof *row, "matrix rows", error);
  int *col = array_new(p->row_start[n], sizeof *col, "matrix columns", error);
  bool ok = layout && row && col;
  int count = 0;
  for (int i = 0; ok && i < n; i++)
    for (int s = p->row_start[i]; s < p->row_start[i + 1]; s++) {
      const bool apart = first && p->col[s] == i;
      A->slot[s] = apart ? i : first + count;
      if (!apart) row[count] = i, col[count++] = p->col[s];
    }
  A->slot_count = (int64_t)first + count;
  if (ok) {
    layout->count = count;
    layout->row = device_clone(device, row, sizeof *row * (size_t)count, error);
    layout->col = device_clone(device, col, sizeof *col * (size_t)count, error);
    ok = layout->row && layout->col;
  }
  free(col);
  if (ok)
    *row_host = row;
  else
    free(row);
  return ok;
}

void coo_layout_destroy(Matrix *A) {
  CooLayout *l = A->layout;
  const Device device = A->format->device;
  device_free(device, l->row), device_free(device, l->col), device_free(device, l->group),
      device_free(device, l->carry);
  free(l);
}
