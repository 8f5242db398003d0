// Computes y = A x for the matrix formats HYB and DHYB on the CPU, as a reference for tests of hyb.cu. The values of a
// row are far apart in memory, so the formats dbcsr, csr and dcsr are faster on a CPU. hyb_layout.h describes the
// arrays.
#include "base/real.h"
#include "sim/operator/formats/hyb_layout.h"
#include "sim/operator/formats/apply_rows.h"

// Returns the product of one row of a matrix block with x [block], the values of x at the neighbour node. `block` is
// the number of unknowns per node. The values of the row are `stride` apart in memory.
static real group_product(const real *values, int64_t stride, const real *x, int block) {
  real sum = 0;
  for (int k = 0; k < block; k++) sum += values[k * stride] * x[k];
  return sum;
}

// Returns the element of y = A x for one row. row_index is the index of the row after sorting: the nodes of each slice,
// HYB_SLICE consecutive nodes, are sorted by row length.
static real row_product(const HybLayout *l, const real *values, const real *x, int row_index) {
  const int64_t pitch = l->pitch;
  const int slice_rows = HYB_SLICE * l->block, slice = row_index / slice_rows;
  const int block = l->block, position = row_index / block, r = row_index % block, node = l->node[position];
  const int length = l->length[position], in_ell = length < l->width ? length : l->width, in_tail = length - in_ell;
  const real *diagonal = values + l->diagonal, *ell = diagonal + l->others * pitch,
             *tail = ell + (int64_t)l->width * block * pitch;
  real sum = l->diagonal ? values[block * node + r] * x[block * node + r] : 0;
  for (int k = 0; k < l->others; k++) sum += diagonal[k * pitch + row_index] * x[block * node + (k < r ? k : k + 1)];
  for (int g = 0; g < in_ell; g++)
    sum += group_product(
        ell + (((int64_t)slice * l->width + g) * block) * slice_rows + row_index % slice_rows, slice_rows,
        x + (int64_t)block * l->ell_col[((int64_t)slice * l->width + g) * HYB_SLICE + position % HYB_SLICE], block);
  tail += (int64_t)block * (block * (int64_t)l->tail_start[position] + r * in_tail);
  for (int t = 0; t < in_tail; t++)
    sum += group_product(tail + t * block, 1, x + (int64_t)block * l->tail_col[l->tail_start[position] + t], block);
  return sum;
}

// Computes the elements of y = A x for the rows with row_index `first` to `last` - 1. row_index is the index of a row
// after the nodes of each slice (HYB_SLICE nodes) were sorted by row length. `first` and `last` are bounds of slices.
static void apply_part(const void *product, int first, int last) {
  const RowsProduct *p = product;
  const HybLayout *l = p->A->layout;
  double dot = 0;
  for (int i = first; i < last; i++) {
    const int row = l->block * l->node[i / l->block] + i % l->block;
    p->y[row] = row_product(l, p->A->values, p->x, i);
    dot += (double)p->x[row] * p->y[row];
  }
  if (p->dots) p->dots[first / PART_ROWS] = dot;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  return apply_in_parts(A, x, y, dots, apply_part);
}

extern const OperatorMethod REAL_NAME(hyb_cpu), REAL_NAME(dhyb_cpu);
const OperatorMethod REAL_NAME(hyb_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "hyb",
             .summary = "ELLPACK: rows are padded to one length; further entries of longer rows are in a separate list",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = hyb_bytes },
  .create = hyb_layout_create,
  .destroy_layout = hyb_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
const OperatorMethod REAL_NAME(dhyb_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dhyb",
             .summary = "as hyb, with all diagonal entries stored first",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = hyb_bytes },
  .diagonal_first = true,
  .create = hyb_layout_create,
  .destroy_layout = hyb_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
