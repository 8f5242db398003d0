// Computes y = A x on the CPU for the format LCSR, the lower triangle by rows (lcsr_layout.h). Each core computes the
// elements of y for a range of rows.
#include "base/parallel.h"
#include "base/real.h"
#include "lab/lower/lcsr_layout.h"
#include "sim/operator/formats/apply_rows.h"

static real row_product(const Operator *A, const real *x, int row) {
  const LcsrLayout *l = A->layout;
  const real *values = A->values;
  real sum = 0;
  for (int s = l->row_start[row]; s < l->row_start[row + 1]; s++) sum += values[s] * x[l->col[s]];
  for (int m = l->mirror_start[row]; m < l->mirror_start[row + 1]; m++)
    sum += values[l->mirror[m].slot] * x[l->mirror[m].row];
  return sum;
}

static void apply_part(const void *product, int first, int last) {
  apply_row_by_row(product, first, last, row_product);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  return apply_in_parts(A, x, y, dots, apply_part);
}

extern const OperatorMethod REAL_NAME(lcsr_cpu);
const OperatorMethod REAL_NAME(lcsr_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "lcsr",
             .summary = "compressed sparse rows of the lower triangle only",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = lcsr_bytes },
  .create = lcsr_layout_create,
  .destroy_layout = lcsr_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
  .half = true,
};
