// The format BCSR, block compressed sparse rows: the index arrays for CPU and GPU, and y = A x on the CPU. A block has
// node_dof x node_dof values and belongs to one pair: a node and one of its neighbours in space->graph.
//
//   values   [pairs of the graph][node_dof rows][node_dof columns]: block 0, block 1, ... in the order of the pairs
//
// Example with node_dof = 3: entry (1, 2) of pair 10 is values[10 * 9 + 1 * 3 + 2].
#include <stdlib.h>

#include "base/array.h"
#include "base/real.h"
#include "sim/operator/formats/apply_rows.h"
#include "sim/operator/formats/block_layout.h"

static inline real row_of_blocks(const Operator *A, const real *x, int row, int dof) {
  const BlockLayout *l = A->layout;
  const int node = row / dof, first = l->start[node];
  const real *values = A->values;
  real sum = 0;
  for (int pair = first; pair < first + l->length[node]; pair++) {
    const real *block = values + ((int64_t)pair * dof + row % dof) * dof, *other = x + (int64_t)dof * l->column[pair];
    for (int k = 0; k < dof; k++) sum += block[k] * other[k];
  }
  return sum;
}

static real row_product(const Operator *A, const real *x, int row) {
  const int dof = A->space->node_dof;
  return dof == 3 ? row_of_blocks(A, x, row, 3) : row_of_blocks(A, x, row, dof);
}

static void apply_part(const void *product, int first, int last) {
  apply_row_by_row(product, first, last, row_product);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  return apply_in_parts(A, x, y, dots, apply_part);
}

static bool create(Operator *A, Error *error) {
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof, nodes = graph->node_count;
  const int64_t pairs = space_pairs(A->space);
  if (!operator_set_value_count(A, pairs * dof * dof, error)) return false;
  int *start = array_new((int64_t)nodes + 1, sizeof *start, "matrix rows", error);
  if (!start) return false;
  for (int a = 0; a <= nodes; a++) start[a] = (int)graph->start[a];
  for (int64_t pair = 0; pair < pairs; pair++) A->slots[pair] = (BlockSlots){ (int)(pair * dof * dof), dof, 1 };
  const bool ok = block_layout_create(A, start, nodes + 1, graph->neighbour, pairs, error);
  free(start);
  return ok;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return operator_format_bytes(stage, size, stage_entries(size), 4 * stage_blocks(size), 0);
}

extern const OperatorMethod REAL_NAME(bcsr_cpu);
const OperatorMethod REAL_NAME(bcsr_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "bcsr",
             .summary = "block compressed sparse rows",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = block_layout_destroy,
  .apply = apply,
  .count_dots = apply_parts,
};
