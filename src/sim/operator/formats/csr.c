// Computes y = A x for CSR and DCSR on the CPU, row by row. Threads process different rows. DCSR stores the n diagonal
// entries of the matrix before all other entries.
#include "base/parallel.h"
#include "base/real.h"
#include "sim/operator/formats/csr_layout.h"
#include "sim/operator/formats/apply_rows.h"

static real row_product(const Operator *A, const real *x, int row) {
  const CsrLayout *l = A->layout;
  const int first = operator_diagonal_slots(A);
  const real *values = A->values, *others = values + first;
  real sum = first ? values[row] * x[row] : 0;
  for (int s = l->row_start[row]; s < l->row_start[row + 1]; s++) sum += others[s] * x[l->col[s]];
  return sum;
}

static void apply_part(const void *product, int first, int last) {
  apply_row_by_row(product, first, last, row_product);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  return apply_in_parts(A, x, y, dots, apply_part);
}

extern const OperatorMethod REAL_NAME(csr_cpu), REAL_NAME(dcsr_cpu);
const OperatorMethod REAL_NAME(csr_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "csr",
             .summary = "compressed sparse rows",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = csr_bytes },
  .create = csr_layout_create,
  .destroy_layout = csr_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
const OperatorMethod REAL_NAME(dcsr_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dcsr",
             .summary = "compressed sparse rows, with all diagonal entries stored first",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = csr_bytes },
  .diagonal_first = true,
  .create = csr_layout_create,
  .destroy_layout = csr_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
