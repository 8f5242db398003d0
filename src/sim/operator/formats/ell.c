// The format ELL (ELLPACK with blocks): the index arrays for CPU and GPU, and y = A x on the CPU. A slice is the block
// rows of BLOCK_SLICE consecutive nodes, padded with zero blocks to the longest of them. The length of the longest row,
// in blocks, is the width of the slice. Block number g of each row of a slice belongs to group g. Groups are stored one
// after the other. Within a group, values are sorted by column within the block, then by row. So neighbouring threads
// of a GPU, which process neighbouring rows, read neighbouring values. On a CPU the formats csr and bcsr are faster.
//
//   values   [slice][its width][node_dof columns][BLOCK_SLICE * node_dof rows]
//   columns  [slice][its width][BLOCK_SLICE]
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/real.h"
#include "sim/operator/formats/apply_rows.h"
#include "sim/operator/formats/block_layout.h"

static real row_product(const Operator *A, const real *x, int row) {
  const BlockLayout *l = A->layout;
  const int dof = A->space->node_dof, node = row / dof, slice = node / BLOCK_SLICE, slice_rows = BLOCK_SLICE * dof;
  const real *values = A->values;
  real sum = 0;
  for (int g = 0; g < l->length[node]; g++) {
    const int64_t group = l->start[slice] + g;
    const real *block = values + group * dof * slice_rows + row % slice_rows;
    const real *other = x + (int64_t)dof * l->column[group * BLOCK_SLICE + node % BLOCK_SLICE];
    for (int k = 0; k < dof; k++) sum += block[k * slice_rows] * other[k];
  }
  return sum;
}

static void apply_part(const void *product, int first, int last) {
  apply_row_by_row(product, first, last, row_product);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  return apply_in_parts(A, x, y, dots, apply_part);
}

// Returns the sum of the widths of all slices; start[s] gets the sum for the slices before s. A slice is the rows of
// BLOCK_SLICE consecutive nodes. Its width is the number of blocks of its longest row.
static int64_t measure_slices(const Adjacency *graph, int slices, int *start) {
  int64_t groups = 0;
  for (int s = 0; s < slices; s++) {
    int64_t width = 0;
    for (int a = s * BLOCK_SLICE; a < graph->node_count && a < (s + 1) * BLOCK_SLICE; a++)
      if (graph->start[a + 1] - graph->start[a] > width) width = graph->start[a + 1] - graph->start[a];
    groups += width;
    start[s + 1] = (int)(groups < INT32_MAX ? groups : INT32_MAX);
  }
  return groups;
}

static bool create(Operator *A, Error *error) {
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof, slices = graph->node_count / BLOCK_SLICE + (graph->node_count % BLOCK_SLICE > 0);
  bool ok = false;
  int *start = array_new((int64_t)slices + 1, sizeof *start, "matrix rows", error), *column = NULL;
  if (!start) return false;
  const int64_t groups = measure_slices(graph, slices, start);
  if (!operator_set_value_count(A, groups * BLOCK_SLICE * dof * dof, error)) goto done;
  column = array_new(groups * BLOCK_SLICE, sizeof *column, "matrix columns", error);
  if (!column) goto done;
  for (int a = 0; a < graph->node_count && !interrupt_requested(); a++)
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int64_t group = start[a / BLOCK_SLICE] + (pair - graph->start[a]);
      column[group * BLOCK_SLICE + a % BLOCK_SLICE] = graph->neighbour[pair];
      A->slots[pair] = (BlockSlots){ (int)((group * dof * BLOCK_SLICE + a % BLOCK_SLICE) * dof), 1, BLOCK_SLICE * dof };
    }
  ok = interrupt_check(error) && block_layout_create(A, start, slices + 1, column, groups * BLOCK_SLICE, error);
done:
  free(start);
  free(column);
  return ok;
}

// Estimates memory and work. The rows of BLOCK_SLICE nodes are padded to the longest of them, which has about 1.5 times
// the average number of blocks.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double blocks = 1.5 * stage_blocks(size);
  return operator_format_bytes(stage, size, 1.5 * stage_entries(size), 4 * blocks, 4 * blocks);
}

extern const OperatorMethod REAL_NAME(ell_cpu);
const OperatorMethod REAL_NAME(ell_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "ell",
             .summary =
                 "ELLPACK of blocks: groups of 64 consecutive nodes; the rows of a group are padded to its longest row",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
