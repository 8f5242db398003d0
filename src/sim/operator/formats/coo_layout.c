// Creates the index arrays of COO and DCOO, the row and column of each entry, on the operator's device.
#include "sim/operator/formats/coo_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "sim/operator/formats/csr_layout.h"

bool coo_layout_create(Operator *A, int **row_host, Error *error) {
  const Device device = A->method->stage.device;
  int *row_start, *col;
  if (!csr_assign_slots(A, &row_start, &col, error)) return false;
  const int count = row_start[A->n];
  CooLayout *layout = A->layout = array_new(1, sizeof *layout, "matrix layout", error);
  int *row = array_new(count, sizeof *row, "matrix rows", error);
  bool ok = layout && row;
  for (int i = 0; ok && i < A->n; i++)
    for (int s = row_start[i]; s < row_start[i + 1]; s++) row[s] = i;
  if (ok) {
    layout->count = count;
    layout->row = device_clone(device, row, sizeof *row * (size_t)count, error);
    layout->col = device_clone(device, col, sizeof *col * (size_t)count, error);
    ok = layout->row && layout->col;
  }
  free(row_start);
  free(col);
  if (ok)
    *row_host = row;
  else
    free(row);
  return ok;
}

void coo_layout_destroy(Operator *A) {
  CooLayout *l = A->layout;
  const Device device = A->method->stage.device;
  device_free(device, l->row);
  device_free(device, l->col);
  device_free(device, l->group);
  device_free(device, l->carry);
  free(l);
}

StageBytes coo_bytes(const Stage *stage, const StageSize *size) {
  const double entries = stage_entries(size);
  const double vector = size->node_dof * size->nodes * (double)precision_size(stage->precision);
  StageBytes bytes = operator_format_bytes(stage, size, entries, 8 * entries, 8 * entries);
  if (stage->device == DEVICE_CPU) return bytes;
  stage_pass(stage, &bytes, WORK_PRODUCT, vector, vector);  // kernel "start" (coo.cu): y = D x, D: diagonal
  stage_pass(stage, &bytes, WORK_PRODUCT, 0, 0);            // kernel "carries": rows that span several tiles
  stage_pass(stage, &bytes, WORK_PRODUCT, 2 * vector, 0);   // kernel "dots": partial sums of x.y
  return bytes;
}
