// The matrix format Bin-BCSR* (paper 004, section 4.2) for matrices of blocks, such as 3 x 3 blocks for displacements:
// computes the product y = A x on the CPU, and creates the arrays of the format for the CPU and for a GPU. BIN = 32
// rows of blocks form a bin. The rows of a bin are padded to its longest row. A group is one block of each of these 32
// rows, interleaved: the entries (i, j) of the 32 blocks are adjacent in memory. Diagonal blocks are stored after the
// bins.
//   values   [groups of all bins][node_dof rows][node_dof columns][BIN], then [nodes][node_dof rows][node_dof columns]
//   columns  [groups of all bins][BIN], the column of each block, which is a node
// In format `binbcsr`, row r belongs to node r. In format `binbcsr_sorted`, all rows of the matrix are sorted by
// decreasing length. Sorting leaves almost no padding, but x is then read in a scattered order.
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/operator/formats/apply_groups.h"
#include "sim/operator/formats/block_layout.h"

enum { BIN = 32, PART_BINS = 8 };  // PART_BINS: bins of one piece of a parallel loop; binbcsr.cu defines BIN too

static int bin_count(const Operator *A) {
  return A->space->node_count / BIN + (A->space->node_count % BIN > 0);
}

// Computes y = A x in the 32 rows of blocks of one bin. `dof` is the number of unknowns per node. Returns the part of
// the scalar product x . y that belongs to these rows.
static inline double bin_product(const Operator *A, const real *x, real *y, int bin, int dof) {
  const BlockLayout *l = A->layout;
  const int first = bin * BIN, left = A->space->node_count - first, rows = left < BIN ? left : BIN;
  const real *diagonal_blocks = (const real *)A->values + A->value_count - (int64_t)A->space->node_count * dof * dof;
  double dot = 0;
  real sums[OPERATOR_DOF_MAX][BIN] = { { 0 } };
  int node[BIN], length[BIN];
  for (int r = 0; r < rows; r++) {
    node[r] = l->node ? l->node[first + r] : first + r;

    // The diagonal block is not counted, because diagonal blocks are stored after the blocks of the bins.
    length[r] = l->length[node[r]] - 1;
    const real *diagonal = diagonal_blocks + (int64_t)node[r] * dof * dof, *here = x + (int64_t)dof * node[r];
    for (int i = 0; i < dof; i++)
      for (int k = 0; k < dof; k++) sums[i][r] += diagonal[i * dof + k] * here[k];
  }

  for (int group = l->start[bin], j = 0; group < l->start[bin + 1]; group++, j++) {
    const real *block = (const real *)A->values + (int64_t)group * dof * dof * BIN;
    const int *column = l->column + (int64_t)group * BIN;
    for (int r = 0; r < rows; r++) {
      if (j >= length[r]) continue;
      const real *other = x + (int64_t)dof * column[r];
      for (int i = 0; i < dof; i++)
        for (int k = 0; k < dof; k++) sums[i][r] += block[(i * dof + k) * BIN + r] * other[k];
    }
  }

  for (int r = 0; r < rows; r++)
    for (int i = 0; i < dof; i++) {
      const int64_t row = (int64_t)dof * node[r] + i;
      y[row] = sums[i][r];
      dot += (double)x[row] * sums[i][r];
    }
  return dot;
}

APPLY_BY_GROUPS(bin_count, bin_product, PART_BINS)

static bool create_layout(Operator *A, bool sorted, Error *error) {
  const Adjacency *graph = &A->space->graph;
  const Device device = A->method->stage.device;
  const int dof = A->space->node_dof, bins = bin_count(A), size = dof * dof;
  if (!operator_check_dof(A, error)) return false;
  bool ok = false;
  int *start = array_new((int64_t)bins + 1, sizeof *start, "matrix rows", error), *node = NULL, *column = NULL;
  int *length = array_new(graph->node_count, sizeof *length, "matrix rows", error);
  if (!start || !length) goto done;
  for (int a = 0; a < graph->node_count; a++) length[a] = (int)(graph->start[a + 1] - graph->start[a]);
  if (sorted && (!(node = array_new((int64_t)bins * BIN, sizeof *node, "matrix rows", error)) ||
                 !block_layout_order(length, graph->node_count, bins * BIN, node, error)))
    goto done;
  const int64_t groups = block_layout_bins(length, node, graph->node_count, BIN, 1, start),
                diagonal = groups * BIN * size;
  if (!operator_set_value_count(A, diagonal + (int64_t)graph->node_count * size, error)) goto done;
  A->diagonal_last = true;
  column = array_new(groups * BIN, sizeof *column, "matrix columns", error);
  if (!column) goto done;
  for (int r = 0; r < graph->node_count && !interrupt_requested(); r++) {
    const int a = node ? node[r] : r;
    int64_t group = start[r / BIN];
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      if (graph->neighbour[pair] == a) {
        A->slots[pair] = (BlockSlots){ (int)(diagonal + (int64_t)a * size), dof, 1 };
        continue;
      }
      column[group * BIN + r % BIN] = graph->neighbour[pair];
      A->slots[pair] = (BlockSlots){ (int)(group * size * BIN + r % BIN), dof * BIN, BIN };
      group++;
    }
  }

  if (!interrupt_check(error) || !block_layout_create(A, start, bins + 1, column, groups * BIN, error)) goto done;
  BlockLayout *layout = A->layout;
  if (node) layout->node = device_clone(device, node, sizeof *node * (size_t)bins * BIN, error);
  ok = !node || layout->node;
done:
  free(start);
  free(length);
  free(node);
  free(column);
  return ok;
}

static bool create(Operator *A, Error *error) {
  return create_layout(A, false, error);
}

static bool create_sorted(Operator *A, Error *error) {
  return create_layout(A, true, error);
}

static StageBytes padded_bytes(const Stage *stage, const StageSize *size, double padding) {
  const double diagonal = size->node_dof * size->node_dof * size->nodes, blocks = padding * 2 * size->pairs;
  return operator_format_bytes(stage, size, padding * (stage_entries(size) - diagonal) + diagonal,
                               4 * blocks + 4 * size->nodes, 4 * blocks);
}

// Estimates the memory of the format without sorted rows. About a quarter of the stored blocks are padding, so the
// format stores 1.35 times as many blocks as the matrix has.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return padded_bytes(stage, size, 1.35);
}

static StageBytes sorted_bytes(const Stage *stage, const StageSize *size) {
  return padded_bytes(stage, size, 1.02);
}

extern const OperatorMethod REAL_NAME(binbcsr_cpu), REAL_NAME(binbcsr_sorted_cpu);
const OperatorMethod REAL_NAME(binbcsr_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "binbcsr",
             .summary = "rows of blocks in groups (bins) of 32 rows, with diagonal blocks stored separately",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
const OperatorMethod REAL_NAME(binbcsr_sorted_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "binbcsr_sorted",
             .summary = "as matrix \"binbcsr\", with all rows sorted by length",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = sorted_bytes },
  .create = create_sorted,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
