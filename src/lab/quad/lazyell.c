// The matrix format lazy ELLPACK for matrices over quadrilaterals, on CPU and GPU (paper 001, section 7). Each cell
// appends the values and columns of its element matrix to the rows of its nodes, so an assembly needs no list of
// positions of entries. 64 successive rows form a slice; each slice has space for as many entries per row as its
// longest row gets. Products y = A x are those of the format ell (ELLPACK in slices).
//   lazyell         a column occurs in a row once for each cell that contains the nodes of this row and column
//   lazyell_merged  rows are sorted by column, and entries of equal columns are summed, as in ell
// Cells that share a node append one after the other, ordered by colours (cell_colours.h): cells of one colour share no
// node. So every run gives equal bits. In formats whose name ends in `_atomic`, cells append by atomic additions, in
// any order.
#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"
#include "lab/quad/lazy_rows.h"
#include "lab/quad/quad_devices.h"
#include "lab/quad/quad_rows.h"
#include "sim/operator/formats/apply_rows.h"
#include "sim/operator/formats/block_layout.h"

enum { SLICE = LAZY_SLICE, ROW_CHUNK = 1024 };

// The arrays of one matrix in this format (Operator.layout). rows: columns and lengths of rows; it must come first,
// because the products of the format ell read it as a BlockLayout. cells: input of the assembly. target: where the
// assembly stores entries. merges: true in the formats `lazyell_merged` and `lazyell_merged_atomic`, which sum entries
// of equal columns.
typedef struct Layout {
  BlockLayout rows;
  QuadCells cells;
  QuadTarget target;
  bool merges;
} Layout;

extern const OperatorMethod REAL_NAME(ell_cpu);
#ifdef PLIANT_CUDA
extern const OperatorMethod REAL_NAME(ell_cuda);
#endif

static const OperatorMethod *products_of(const Operator *A) {
#ifdef PLIANT_CUDA
  if (A->method->stage.device == DEVICE_CUDA) return &REAL_NAME(ell_cuda);
#endif
  (void)A;
  return &REAL_NAME(ell_cpu);
}

static int count_dots(const Operator *A) {
  return products_of(A)->count_dots(A);
}

static void destroy_layout(Operator *A) {
  Layout *l = A->layout;
  const Device device = A->method->stage.device;
  device_free(device, l->rows.start);
  device_free(device, l->rows.length);
  device_free(device, l->rows.column);
  REAL_NAME(quad_cells_destroy)(&l->cells);
  free(l);
}

// Computes start [slices + 1], the number of groups before each slice, and *groups, their total. A slice is 64 rows,
// and a group is one entry of each of these rows. The number of groups of a slice is the length of its longest row.
// Each cell at a node appends one entry per node of the cell to the node's row, also if the row already has an entry of
// this column.
static bool measure_slices(const Space *space, int slices, int *start, int64_t *groups, Error *error) {
  NodeCells at = { 0 };
  if (!node_cells_create(&at, space, error)) return false;
  *groups = 0;
  for (int s = 0; s < slices; s++) {
    int64_t width = 0;
    for (int a = s * SLICE; a < space->node_count && a < (s + 1) * SLICE; a++)
      if (at.start[a + 1] - at.start[a] > width) width = at.start[a + 1] - at.start[a];
    *groups += width * space->cell_nodes;
    start[s + 1] = (int)(*groups < INT32_MAX ? *groups : INT32_MAX);
  }
  node_cells_destroy(&at);
  return true;
}

static bool create_as(Operator *A, bool atomic, bool merges, Error *error) {
  const Device device = A->method->stage.device;
  const Space *space = A->space;
  const int slices = space->node_count / SLICE + (space->node_count % SLICE > 0);
  int64_t groups = 0;
  if (!REAL_NAME(quad_degree)(space, error)) return false;
  Layout *l = A->layout = array_new(1, sizeof *l, "layout of the matrix", error);
  int *start = array_new((int64_t)slices + 1, sizeof *start, "matrix rows", error);
  if (!l || !start || !measure_slices(space, slices, start, &groups, error) ||
      !operator_set_value_count(A, groups * SLICE, error)) {
    free(start);
    return false;
  }

  l->merges = merges;
  l->rows.start = device_clone(device, start, sizeof *start * ((size_t)slices + 1), error);
  free(start);
  l->rows.length = device_alloc(device, sizeof *l->rows.length * (size_t)space->node_count, error);
  l->rows.column = device_alloc(device, sizeof *l->rows.column * (size_t)A->value_count, error);
  A->values = device_alloc(device, sizeof(real) * (size_t)A->value_count, error);
  if (!l->rows.start || !l->rows.length || !l->rows.column || !A->values) return false;
  l->target = (QuadTarget){ .storage = QUAD_LAZY,
                            .atomic = atomic,
                            .values = A->values,
                            .value_count = (size_t)A->value_count,
                            .start = l->rows.start,
                            .length = l->rows.length,
                            .column = l->rows.column };
  A->target = &l->target;
  return REAL_NAME(quad_cells_create)(&l->cells, space, device, atomic ? QUAD_ATOMIC : QUAD_COLOURED, QUAD_BLOCK,
                                      error);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  return products_of(A)->apply(A, x, y, dots, stream, error);
}

static LazyRows rows_of(const Operator *A) {
  const Layout *l = A->layout;
  return (LazyRows){ A->n, l->rows.start, l->rows.length, l->rows.column, A->values };
}

// Arguments of the parallel loops over the rows of a matrix. merge_rows sums entries of equal columns in `rows`.
// diagonal_rows adds shift [n] to the diagonal and writes the diagonal of the sum to blocks [n] and diagonal [n].
typedef struct Task {
  LazyRows rows;
  const real *shift;
  real *blocks, *diagonal;
} Task;

static void merge_rows(const void *task, int first, int last) {
  const LazyRows *r = &((const Task *)task)->rows;
  for (int a = first; a < last; a++)
    r->length[a] = lazy_merge(r->length[a], lazy_base(r->start, a), r->column, r->values);
}

static void diagonal_rows(const void *task, int first, int last) {
  const Task *t = task;
  const LazyRows *r = &t->rows;
  for (int a = first; a < last; a++) {
    t->blocks[a] =
        lazy_diagonal(a, r->length[a], lazy_base(r->start, a), r->column, r->values, t->shift ? t->shift[a] : 0);
    if (t->diagonal) t->diagonal[a] = t->blocks[a];
  }
}

static bool merge(const Operator *A, Stream stream, Error *error) {
  const Task task = { .rows = rows_of(A) };
#ifdef PLIANT_CUDA
  if (stream.device == DEVICE_CUDA) return REAL_NAME(lazy_merge_cuda)(&task.rows, stream, error);
#endif
  (void)stream, (void)error;
  parallel_for(A->n, ROW_CHUNK, merge_rows, &task);
  return true;
}

static bool shift_diagonal(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                           Stream stream, Error *error) {
  (void)crosses;  // unused, since a node has one unknown
  const Task task = { rows_of(A), shift, A->blocks, diagonal };
#ifdef PLIANT_CUDA
  if (stream.device == DEVICE_CUDA)
    return REAL_NAME(lazy_diagonal_cuda)(&task.rows, shift, A->blocks, diagonal, wanted, stream, error);
#endif
  (void)stream, (void)error;
  if (!wanted || *wanted) parallel_for(A->n, ROW_CHUNK, diagonal_rows, &task);
  return true;
}

bool REAL_NAME(lazyell_finish)(Operator *A, Stream stream, Error *error) {
  return !((const Layout *)A->layout)->merges || merge(A, stream, error);
}

static bool linearise(Operator *A, const AssemblyParameters *p, const void *nodal, Stream stream, Error *error) {
  (void)nodal;  // unused, since the matrix does not depend on the solution
  const Layout *l = A->layout;
  if (!quad_set_scale(&l->cells, p->matrix_scale * p->material[0], stream, error)) return false;
  if (!quad_assemble(&l->cells, &l->target, QUAD_LOCAL_REUSE, stream, error)) return false;
  if (!REAL_NAME(lazyell_finish)(A, stream, error)) return false;
  return shift_diagonal(A, NULL, 0, NULL, NULL, stream, error);
}

// Estimates memory and traffic. Memory: a value and a column for each entry of each element matrix. This memory is
// multiplied by 1.8, because in each slice of 64 rows all rows are padded to the longest one. Products do not read the
// padding.
static StageBytes bytes_as(const Stage *stage, const StageSize *size, bool merges) {
  const double real_size = (double)precision_size(stage->precision), nodes = size->cell_nodes;
  const double appended = size->cells * nodes * nodes, read = merges ? stage_entries(size) : appended;
  const double lists = size->cells * (4 * nodes + QUAD_MAP * real_size);
  StageBytes bytes = stage_takes(stage, 1.8 * appended * (4 + real_size) + lists + 4 * size->nodes);
  stage_pass(stage, &bytes, WORK_PRODUCT, read * (4 + real_size) + real_size * size->nodes, real_size * size->nodes);
  return bytes;
}

static const int lanes[] = { 1, 2, 4, 8, 0 };

#define WORD(word, atomic, merges)                                            \
  static bool create_##word(Operator *A, Error *error) {                      \
    return create_as(A, atomic, merges, error);                               \
  }                                                                           \
  static StageBytes bytes_##word(const Stage *stage, const StageSize *size) { \
    return bytes_as(stage, size, merges);                                     \
  }
#define ROW(row, cells, where, word, text, words)   \
  static const OperatorMethod row = {               \
    .stage = { .kind = STAGE_OPERATOR,              \
               .name = text,                        \
               .summary = words,                    \
               .element = cells,                    \
               .device = where,                     \
               .precision = REAL_PRECISION,         \
               .bytes = bytes_##word },             \
    .create = create_##word,                        \
    .destroy_layout = destroy_layout,               \
    .apply = apply,                                 \
    .count_dots = count_dots,                       \
    .linearise = linearise,                         \
    .shift = shift_diagonal,                        \
    .tunings = where == DEVICE_CUDA ? lanes : NULL, \
    .tuned = 4,                                     \
  };
WORD(lazyell, false, false)
WORD(lazyell_merged, false, true)
QUAD_ON_CUDA(WORD(lazyell_atomic, true, false) WORD(lazyell_merged_atomic, true, true))
QUAD_ROWS(ROW, lazyell, lazyell, "lazyell", "ELLPACK rows, filled by groups (colours) of cells without common nodes")
QUAD_ROWS(ROW, lazyell_merged, lazyell_merged, "lazyell_merged",
          "ELLPACK rows, filled by groups (colours) of cells without common nodes; then entries are sorted, and equal "
          "columns merged")
QUAD_CUDA_ROWS(ROW, lazyell_atomic, lazyell_atomic, "lazyell_atomic",
               "ELLPACK rows, filled by cells in any order: not repeatable bit for bit")
QUAD_CUDA_ROWS(ROW, lazyell_merged_atomic, lazyell_merged_atomic, "lazyell_merged_atomic",
               "ELLPACK rows, filled by cells in any order; then entries are sorted, and equal columns merged")

extern const Stage *const REAL_NAME(lazyell_rows)[];
// clang-format off
const Stage *const REAL_NAME(lazyell_rows)[] = {
  QUAD_ROWS(QUAD_LISTED, lazyell, )
  QUAD_ROWS(QUAD_LISTED, lazyell_merged, )
  QUAD_CUDA_ROWS(QUAD_LISTED, lazyell_atomic, )
  QUAD_CUDA_ROWS(QUAD_LISTED, lazyell_merged_atomic, )
  NULL
};
// clang-format on
