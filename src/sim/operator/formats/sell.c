// The format SELL (sliced ELLPACK with blocks): the index arrays for CPU and GPU, and y = A x on the CPU. A "row" here
// is the row of blocks of one node. Within each window of WINDOW consecutive nodes, rows are sorted by decreasing
// length. SLICE sorted rows form a slice, and are padded with zero blocks to the longest of them. The length of the
// longest row, in blocks, is the width of the slice. Sorting saves padding, and a window keeps reads of x local. Block
// number g of each row of a slice belongs to group g.
//
//   values   [slice][its width][node_dof rows][node_dof columns][SLICE],   columns   [slice][its width][SLICE]
//
// In the literature this is SELL-C-sigma with C = SLICE and sigma = WINDOW (Kreutzer et al., SIAM J. Sci. Comput. 36,
// 2014).
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"
#include "sim/operator/formats/apply_groups.h"
#include "sim/operator/formats/block_layout.h"

// SLICE: rows of blocks per slice, which are padded to one length. WINDOW: number of consecutive nodes whose rows are
// sorted by length. PART_SLICES: slices per partial sum of x.y.
enum { SLICE = SELL_SLICE, WINDOW = 1024, PART_SLICES = 8 };

// Computes y of a slice's rows and returns their contribution to x.y. The rows of a slice are sorted by decreasing
// length, so the rows with more than g blocks come first; `used` is their number.
static inline double slice_product(const Operator *A, const real *x, real *y, int slice, int dof) {
  const BlockLayout *l = A->layout;
  const int *node = l->node + (int64_t)slice * SLICE;
  real sums[OPERATOR_DOF_MAX][SLICE] = { { 0 } };
  int rows = 0, length[SLICE];
  for (; rows < SLICE && node[rows] >= 0; rows++) length[rows] = l->length[node[rows]];
  for (int group = l->start[slice], used = rows; group < l->start[slice + 1]; group++) {
    while (used > 0 && length[used - 1] <= group - l->start[slice]) used--;
    const real *block = (const real *)A->values + (int64_t)group * dof * dof * SLICE;
    const int *column = l->column + (int64_t)group * SLICE;
    real other[OPERATOR_DOF_MAX][SLICE];
    for (int r = 0; r < used; r++)
      for (int k = 0; k < dof; k++) other[k][r] = x[(int64_t)dof * column[r] + k];
    for (int i = 0; i < dof; i++)
      for (int k = 0; k < dof; k++)
        for (int r = 0; r < used; r++) sums[i][r] += block[(i * dof + k) * SLICE + r] * other[k][r];
  }

  double dot = 0;
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < dof; i++) {
      const int64_t row = (int64_t)dof * node[r] + i;
      y[row] = sums[i][r];
      dot += (double)x[row] * sums[i][r];
    }
  return dot;
}

static int slice_count(const Operator *A) {
  return A->space->node_count / SLICE + (A->space->node_count % SLICE > 0);
}

APPLY_BY_GROUPS(slice_count, slice_product, PART_SLICES)

typedef struct Row {
  // Row of blocks: its window (range of WINDOW nodes), its number of blocks, and its node.
  int window, length, node;
} Row;

static int compare_rows(const void *a, const void *b) {
  const Row *x = a, *y = b;
  if (x->window != y->window) return x->window < y->window ? -1 : 1;
  return x->length > y->length ? -1 : x->length < y->length;
}

// Sorts the rows of blocks within each window of WINDOW nodes by decreasing length. node [slices * SLICE] gets the node
// of each sorted row, and -1 after the last row. A slice is SLICE sorted rows, and its width the length of its first
// row in blocks. start[s] gets the sum of the widths of the slices before s: widths 20 and 18 give 0, 20, 38. *groups
// gets the sum of all widths.
static bool order_rows(const Adjacency *graph, int slices, int *node, int *start, int64_t *groups, Error *error) {
  Row *rows = array_new(graph->node_count, sizeof *rows, "matrix rows", error);
  if (!rows) return false;
  for (int a = 0; a < graph->node_count; a++)
    rows[a] = (Row){ a / WINDOW, (int)(graph->start[a + 1] - graph->start[a]), a };
  const bool ok = sort_items(rows, graph->node_count, sizeof *rows, compare_rows, error);
  for (int r = 0; ok && r < slices * SLICE; r++) node[r] = r < graph->node_count ? rows[r].node : -1;
  *groups = 0;
  for (int s = 0; ok && s < slices; s++) {
    *groups += rows[s * SLICE].length;
    start[s + 1] = (int)(*groups < INT32_MAX ? *groups : INT32_MAX);
  }
  free(rows);
  return ok;
}

static bool create(Operator *A, Error *error) {
  const Adjacency *graph = &A->space->graph;
  const Device device = A->method->stage.device;
  const int dof = A->space->node_dof, slices = slice_count(A);
  if (!operator_check_dof(A, error)) return false;
  bool ok = false;
  int64_t groups;
  int *start = array_new((int64_t)slices + 1, sizeof *start, "matrix rows", error);
  int *node = array_new((int64_t)slices * SLICE, sizeof *node, "matrix rows", error), *column = NULL;
  if (!start || !node || !order_rows(graph, slices, node, start, &groups, error)) goto done;
  if (!operator_set_value_count(A, groups * SLICE * dof * dof, error)) goto done;
  column = array_new(groups * SLICE, sizeof *column, "matrix columns", error);
  if (!column) goto done;
  for (int r = 0; r < graph->node_count && !interrupt_requested(); r++)
    for (int64_t pair = graph->start[node[r]]; pair < graph->start[node[r] + 1]; pair++) {
      const int64_t group = start[r / SLICE] + (pair - graph->start[node[r]]);
      column[group * SLICE + r % SLICE] = graph->neighbour[pair];
      A->slots[pair] = (BlockSlots){ (int)(group * dof * dof * SLICE + r % SLICE), dof * SLICE, SLICE };
    }
  if (!interrupt_check(error) || !block_layout_create(A, start, slices + 1, column, groups * SLICE, error)) goto done;
  BlockLayout *layout = A->layout;
  layout->node = device_clone(device, node, sizeof *node * (size_t)slices * SLICE, error);
  ok = layout->node;
done:
  free(start);
  free(node);
  free(column);
  return ok;
}

// Estimates memory and work. In tet meshes, about 5 % of the stored values are zeros that fill short rows.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double blocks = 1.05 * stage_blocks(size);
  return operator_format_bytes(stage, size, 1.05 * stage_entries(size), 4 * blocks + 8 * size->nodes,
                               4 * blocks + 4 * size->nodes);
}

extern const OperatorMethod REAL_NAME(sell_cpu);
const OperatorMethod REAL_NAME(sell_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "sell",
             .summary = "block SELL-C-sigma: slices of rows that are sorted by length",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
