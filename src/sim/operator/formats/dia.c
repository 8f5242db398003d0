// The format DIA (diagonals) with blocks: the index arrays for CPU and GPU, and y = A x on the CPU. The offset of a
// block is the node of its column minus the node of its row. Example: the block of node 100 with its neighbour 97 has
// offset -3. Blocks with equal offsets form a diagonal of the matrix. So a product reads only one offset per diagonal,
// instead of a column index per block.
//
// A slice is the block rows of BLOCK_SLICE consecutive nodes. A slice stores all diagonals that occur in its rows. If a
// row has no block on one of these diagonals, zeros are stored. The nodes of a regular grid have few common offsets, so
// there are few zeros. In other meshes, most stored blocks are zeros; formats such as ell are then better.
//
//   values   [slice][its diagonals][node_dof columns][BLOCK_SLICE * node_dof rows]
//   offsets  [slice][its diagonals]
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/real.h"
#include "base/sort.h"
#include "sim/operator/formats/apply_rows.h"
#include "sim/operator/formats/block_layout.h"

// Returns element `row` of y = A x.
static real row_product(const Operator *A, const real *x, int row) {
  const BlockLayout *l = A->layout;
  const int dof = A->space->node_dof, node = row / dof, slice = node / BLOCK_SLICE, slice_rows = BLOCK_SLICE * dof;
  const real *values = A->values;
  real sum = 0;
  for (int d = l->start[slice]; d < l->start[slice + 1]; d++) {
    const int other = node + l->column[d];
    if (other < 0 || other >= A->space->node_count) continue;  // this row has no block on the diagonal, only padding
    const real *block = values + (int64_t)d * dof * slice_rows + row % slice_rows;
    for (int k = 0; k < dof; k++) sum += block[k * slice_rows] * x[(int64_t)other * dof + k];
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

// Lists the offsets that occur in the rows of the nodes `first` to `last` - 1, each once, ascending. The offset of a
// block is its column node minus its row node. Writes the list to `offset`, which needs memory for one element per
// block of these rows. Returns the number of different offsets.
static int list_offsets(const Adjacency *graph, int first, int last, int *offset) {
  int count = 0, different = 0;
  for (int a = first; a < last; a++)
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
      offset[count++] = graph->neighbour[pair] - a;
  qsort(offset, (size_t)count, sizeof *offset, compare_ints);
  for (int k = 0; k < count; k++)
    if (k == 0 || offset[k] != offset[k - 1]) offset[different++] = offset[k];
  return different;
}

static int slice_end(const Adjacency *graph, int slice) {
  return graph->node_count - slice * BLOCK_SLICE > BLOCK_SLICE ? (slice + 1) * BLOCK_SLICE : graph->node_count;
}

// Writes the offsets of all slices, slice after slice, to offset [pairs]. The offset of a block is its column node
// minus its row node. start [slices + 1] gets the index of each slice's first offset.
static void list_diagonals(const Adjacency *graph, int slices, int *start, int *offset) {
  for (int s = 0; s < slices && !interrupt_requested(); s++)
    start[s + 1] = start[s] + list_offsets(graph, s * BLOCK_SLICE, slice_end(graph, s), offset + start[s]);
}

static bool create(Operator *A, Error *error) {
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof, slices = graph->node_count / BLOCK_SLICE + (graph->node_count % BLOCK_SLICE > 0);
  int *start = array_new((int64_t)slices + 1, sizeof *start, "matrix rows", error);
  int *offset = array_new(space_pairs(A->space), sizeof *offset, "diagonals", error);
  bool ok = start && offset;
  if (ok) list_diagonals(graph, slices, start, offset);
  ok = ok && interrupt_check(error) &&
       operator_set_value_count(A, (int64_t)start[slices] * BLOCK_SLICE * dof * dof, error);

  for (int a = 0; ok && a < graph->node_count; a++) {
    const int first = start[a / BLOCK_SLICE], count = start[a / BLOCK_SLICE + 1] - first;
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int d = first + count_below(offset + first, count, graph->neighbour[pair] - a);
      A->slots[pair] = (BlockSlots){ (d * dof * BLOCK_SLICE + a % BLOCK_SLICE) * dof, 1, BLOCK_SLICE * dof };
    }
  }
  ok = ok && block_layout_create(A, start, slices + 1, offset, start[slices], error);
  free(start);
  free(offset);
  return ok;
}

// Estimates memory and work for the default order of nodes. In this order, the slices of a box of tets store 16 to 17
// times as many blocks as the matrix has. With --order file, which keeps the order of a regular grid, they store only
// 1.03 times as many.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return operator_format_bytes(stage, size, 16.5 * stage_entries(size), 16.5 * 4 * stage_blocks(size) / BLOCK_SLICE,
                               4 * stage_blocks(size));
}

extern const OperatorMethod REAL_NAME(dia_cpu);
const OperatorMethod REAL_NAME(dia_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dia",
             .summary = "diagonals of blocks, for regular grids with --order file; other meshes need many times the "
                        "memory of format csr",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
