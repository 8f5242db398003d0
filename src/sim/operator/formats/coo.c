// Computes y = A x for COO and DCOO on the CPU. These formats store row, column and value of each entry, sorted by row.
// Tasks run in parallel; each computes y for PART_ROWS consecutive rows. DCOO stores the diagonal before the other
// entries.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/real.h"
#include "sim/operator/formats/coo_layout.h"
#include "sim/operator/formats/apply_rows.h"

static void apply_part(const void *product, int first, int last) {
  const RowsProduct *task = product;
  const Operator *A = task->A;
  const CooLayout *l = A->layout;
  const bool diagonal = A->method->diagonal_first;
  const real *values = A->values, *others = values + operator_diagonal_slots(A), *x = task->x;
  real *y = task->y;
  const int part = first / PART_ROWS;
  double dot = 0;
  for (int i = first; i < last; i++) y[i] = diagonal ? values[i] * x[i] : 0;
  for (int s = l->group[part]; s < l->group[part + 1]; s++) y[l->row[s]] += others[s] * x[l->col[s]];
  for (int i = first; i < last; i++) dot += (double)x[i] * y[i];
  if (task->dots) task->dots[part] = dot;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  return apply_in_parts(A, x, y, dots, apply_part);
}

static bool create(Operator *A, Error *error) {
  int *row = NULL, s = 0;
  if (!coo_layout_create(A, &row, error)) return false;
  CooLayout *l = A->layout;
  l->group_count = apply_parts(A);
  l->group = device_alloc(DEVICE_CPU, sizeof *l->group * ((size_t)l->group_count + 1), error);
  for (int part = 0; l->group && part < l->group_count; part++) {
    while (s < l->count && row[s] < apply_part_end(A, part)) s++;
    l->group[part + 1] = s;
  }
  free(row);
  return l->group;
}

extern const OperatorMethod REAL_NAME(coo_cpu), REAL_NAME(dcoo_cpu);
const OperatorMethod REAL_NAME(coo_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "coo",
             .summary = "coordinates: row, column and value per entry",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = coo_bytes },
  .create = create,
  .destroy_layout = coo_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
const OperatorMethod REAL_NAME(dcoo_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dcoo",
             .summary = "coordinates: row, column and value per entry, with all diagonal entries stored first",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = coo_bytes },
  .diagonal_first = true,
  .create = create,
  .destroy_layout = coo_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
