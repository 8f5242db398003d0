// The matrix format Bin-BCSR, from which paper 004 developed Bin-BCSR* (section 4.2; binbcsr.c): computes the product
// y = A x on the CPU, and creates the arrays of the format for the CPU and for a GPU. BIN = 16 rows of unknowns form a
// bin, and its rows are padded to its longest row. A group is one piece of each of these 16 rows: the entries of a row
// in one block, whose columns are adjacent. So a column is stored for each row of a block, not once for the block.
//   values   [groups of all bins][node_dof columns][BIN]
//   columns  [groups of all bins][BIN], the first column of each piece, which is an unknown
// A bin has the rows of as many whole nodes as fit: 5 nodes with 3 unknowns, so its last row is empty. In the paper, a
// node may have rows in two bins; the position of a block in `values` would then not be a BlockSlots. Diagonal blocks
// are stored in their rows.
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/operator/formats/apply_groups.h"
#include "sim/operator/formats/block_layout.h"

enum { BIN = 16, PART_BINS = 16 };  // PART_BINS: bins of one piece of a parallel loop; binbcsr16.cu defines BIN too

static int bin_count(const Operator *A) {
  const int nodes = BIN / A->space->node_dof;  // nodes of a bin
  return A->space->node_count / nodes + (A->space->node_count % nodes > 0);
}

// Computes y = A x in the rows of one bin. `dof` is the number of unknowns per node. Returns the part of the scalar
// product x . y that belongs to these rows.
static inline double bin_product(const Operator *A, const real *x, real *y, int bin, int dof) {
  const BlockLayout *l = A->layout;
  const int nodes = BIN / dof, first = bin * nodes, left = A->space->node_count - first;
  const int rows = dof * (left < nodes ? left : nodes);
  real sums[BIN] = { 0 };
  int length[BIN];
  double dot = 0;
  for (int r = 0; r < rows; r++) length[r] = l->length[first + r / dof];
  for (int group = l->start[bin], j = 0; group < l->start[bin + 1]; group++, j++) {
    const real *values = (const real *)A->values + (int64_t)group * dof * BIN;
    const int *column = l->column + (int64_t)group * BIN;
    for (int r = 0; r < rows; r++)
      for (int k = 0; j < length[r] && k < dof; k++) sums[r] += values[k * BIN + r] * x[column[r] + k];
  }
  for (int r = 0; r < rows; r++) {
    y[first * dof + r] = sums[r];
    dot += (double)x[first * dof + r] * sums[r];
  }
  return dot;
}

APPLY_BY_GROUPS(bin_count, bin_product, PART_BINS)

static bool create(Operator *A, Error *error) {
  if (!operator_check_dof(A, error)) return false;
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof, bins = bin_count(A), nodes = BIN / dof;
  bool ok = false;
  int *start = array_new((int64_t)bins + 1, sizeof *start, "matrix rows", error), *column = NULL;
  int *length = array_new(graph->node_count, sizeof *length, "matrix rows", error);
  if (!start || !length) goto done;
  for (int a = 0; a < graph->node_count; a++) length[a] = (int)(graph->start[a + 1] - graph->start[a]);
  const int64_t groups = block_layout_bins(length, NULL, graph->node_count, nodes, 0, start);
  if (!operator_set_value_count(A, groups * BIN * dof, error)) goto done;
  column = array_new(groups * BIN, sizeof *column, "matrix columns", error);
  if (!column) goto done;
  for (int a = 0; a < graph->node_count && !interrupt_requested(); a++) {
    const int row = a % nodes * dof;  // number of the node's first row in its bin
    int64_t group = start[a / nodes];
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++, group++) {
      for (int i = 0; i < dof; i++) column[group * BIN + row + i] = dof * graph->neighbour[pair];
      A->slots[pair] = (BlockSlots){ (int)(group * BIN * dof + row), 1, BIN };
    }
  }

  ok = interrupt_check(error) && block_layout_create(A, start, bins + 1, column, groups * BIN, error);
done:
  free(start);
  free(length);
  free(column);
  return ok;
}

// Estimates the memory of the format: about a fifth of the stored blocks are padding, and one of 16 rows is empty with
// 3 unknowns per node.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double rows = (double)BIN / (BIN / size->node_dof * size->node_dof);
  return operator_format_bytes(stage, size, 1.25 * rows * stage_entries(size),
                               1.25 * rows * 4 * size->node_dof * stage_blocks(size), 4 * size->nodes);
}

extern const OperatorMethod REAL_NAME(binbcsr16_cpu);
const OperatorMethod REAL_NAME(binbcsr16_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "binbcsr16",
             .summary = "rows of unknowns in groups (bins) of 16 rows; the format from which \"binbcsr\" was developed",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
