// The format DBCSR on the CPU. It stores first the diagonal of the matrix, and then blocks, node after node. A block
// has node_dof x node_dof values for a node and one of its neighbours, stored column by column. One SIMD operation
// multiplies a column of a block by one number of x. SIMD vectors have four numbers, of which three are used for the
// three unknowns of a node. The products of a row are summed in the same order as in the format DCSR, so results have
// the same bits as with DCSR.
//
//   values   [n] the diagonal | node 0: blocks below | diagonal block, [node_dof - 1][node_dof] | blocks above | node 1
//            a block: [node_dof columns][node_dof rows]; row i of a diagonal block omits its diagonal entry
//
// In the row of node a, the blocks "below" the diagonal belong to neighbours b < a, the blocks "above" it to b > a.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/real.h"
#include "base/wide.h"
#include "sim/operator/formats/apply_rows.h"

// LANES: numbers in a SIMD vector. PART_NODES: nodes per partial sum of x.y. ROWS_CHUNK: nodes per task when positions
// of blocks are computed.
enum { LANES = 4, PART_NODES = 128, ROWS_CHUNK = 4096 };

typedef real Lanes __attribute__((vector_size(LANES * sizeof(real))));

typedef struct Layout {
  // [node_count + 1], for each node the index of its first neighbour in the neighbour lists of space->graph. A row has
  // one block for each neighbour.
  int *start;
  int *below;   // [node_count], number of blocks below the diagonal in each node's row, b < a
  int *values;  // [node_count], index in Operator.values of the first number of each node's blocks
} Layout;

static void destroy_layout(Operator *A) {
  Layout *l = A->layout;
  free(l->start);
  free(l->below);
  free(l->values);
  free(l);
}

// Multiplies consecutive 3 x 3 blocks of a row by x, and adds the products to *sum, one number per unknown of the
// row's node. The array from `node` to `end` has the columns of the blocks, which are nodes. Returns the address after
// the last value of the blocks.
static inline const real *add_blocks(Lanes *sum, const real *block, const int *node, const int *end, const real *x) {
  for (; node < end; node++, block += 9) {
    const real *other = x + 3 * (int64_t)*node;
    Lanes first, second, third;
    memcpy(&first, block, sizeof first);
    memcpy(&second, block + 3, sizeof second);
    memcpy(&third, block + 6, sizeof third);
    *sum += first * other[0];
    *sum += second * other[1];
    *sum += third * other[2];
  }
  return block;
}

// Computes y of the nodes [first, last) with three unknowns per node, and returns their contribution to x.y. A column
// of a block has three numbers, but a SIMD operation loads four. The fourth one belongs to the next column; the sum
// that it contributes to is not used.
WIDE static double apply_threes(const Operator *A, const real *x, real *y, int first, int last) {
  const Layout *l = A->layout;
  const real *values = A->values;
  const int *neighbour = A->space->graph.neighbour;
  double dot = 0;
  for (int a = first; a < last; a++) {
    const real *x_a = x + 3 * a, *diagonal = values + 3 * a, *block = values + l->values[a];
    const int *begin = neighbour + l->start[a], *middle = begin + l->below[a], *end = neighbour + l->start[a + 1];
    Lanes sum = { diagonal[0] * x_a[0], diagonal[1] * x_a[1], diagonal[2] * x_a[2], 0 };
    block = add_blocks(&sum, block, begin, middle, x);
    if (middle < end && *middle == a) {
      const Lanes left = { x_a[1], x_a[0], x_a[0], 0 }, right = { x_a[2], x_a[2], x_a[1], 0 };
      Lanes one, two;
      memcpy(&one, block, sizeof one);
      memcpy(&two, block + 3, sizeof two);
      sum += one * left;
      sum += two * right;
      block += 6;
      middle++;
    }
    add_blocks(&sum, block, middle, end, x);
    for (int i = 0; i < 3; i++) {
      y[3 * a + i] = sum[i];
      dot += (double)x_a[i] * sum[i];
    }
  }
  return dot;
}

typedef real Pair __attribute__((vector_size(2 * sizeof(real))));

// Multiplies consecutive 2 x 2 blocks of a row by x, and adds the products to *sum, one number per unknown of the
// row's node. The array from `node` to `end` has the columns of the blocks, which are nodes. Returns the address after
// the last value of the blocks.
static inline const real *add_pairs(Pair *sum, const real *block, const int *node, const int *end, const real *x) {
  for (; node < end; node++, block += 4) {
    const real *other = x + 2 * (int64_t)*node;
    Pair first, second;
    memcpy(&first, block, sizeof first);
    memcpy(&second, block + 2, sizeof second);
    *sum += first * other[0];
    *sum += second * other[1];
  }
  return block;
}

// Computes y of the nodes [first, last) with two unknowns per node, and returns their contribution to x.y.
static double apply_twos(const Operator *A, const real *x, real *y, int first, int last) {
  const Layout *l = A->layout;
  const real *values = A->values;
  const int *neighbour = A->space->graph.neighbour;
  double dot = 0;
  for (int a = first; a < last; a++) {
    const real *x_a = x + 2 * a, *diagonal = values + 2 * a, *block = values + l->values[a];
    const int *begin = neighbour + l->start[a], *middle = begin + l->below[a], *end = neighbour + l->start[a + 1];
    Pair sum = { diagonal[0] * x_a[0], diagonal[1] * x_a[1] };
    block = add_pairs(&sum, block, begin, middle, x);
    if (middle < end && *middle == a) {
      const Pair other = { x_a[1], x_a[0] };
      Pair off;
      memcpy(&off, block, sizeof off);
      sum += off * other;
      block += 2;
      middle++;
    }
    add_pairs(&sum, block, middle, end, x);
    for (int i = 0; i < 2; i++) {
      y[2 * a + i] = sum[i];
      dot += (double)x_a[i] * sum[i];
    }
  }
  return dot;
}

// Computes y of the nodes [first, last) with any number of unknowns per node, and returns their contribution to x.y.
static double apply_any(const Operator *A, const real *x, real *y, int first, int last) {
  const Layout *l = A->layout;
  const int dof = A->space->node_dof;
  const real *values = A->values;
  const int *neighbour = A->space->graph.neighbour;
  double dot = 0;
  for (int a = first; a < last; a++)
    for (int i = 0; i < dof; i++) {
      const int row = dof * a + i;
      const real *block = values + l->values[a] + i;
      real sum = values[row] * x[row];
      for (int pair = l->start[a]; pair < l->start[a + 1]; pair++)
        for (int k = 0; k < dof; k++) {
          const int column = dof * neighbour[pair] + k;
          if (column == row) continue;
          sum += *block * x[column];
          block += dof;
        }
      y[row] = sum;
      dot += (double)x[row] * sum;
    }
  return dot;
}

static void apply_part(const void *product, int first, int last) {
  const RowsProduct *p = product;
  const int dof = p->A->space->node_dof;
  const double dot = (dof == 3 ? apply_threes : dof == 2 ? apply_twos : apply_any)(p->A, p->x, p->y, first, last);
  if (p->dots) p->dots[first / PART_NODES] = dot;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(A->space->node_count, PART_NODES, apply_part, &(RowsProduct){ A, x, y, dots });
  return true;
}

// Sets Layout.values, the index in A->values of the first number of each node's blocks, and returns the length of
// A->values. The n diagonal entries come first, and diagonal blocks omit them. If `all` is true, every node has a
// diagonal block, and no search for it is needed.
static int64_t assign_row_slots(Operator *A, bool all) {
  Layout *l = A->layout;
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof;
  int64_t at = A->n;
  for (int a = 0; a < graph->node_count; a++) {
    l->values[a] = (int)at;
    at += (graph->start[a + 1] - graph->start[a]) * dof * dof;
    if (all || adjacency_find(graph, a, a) >= 0) at -= dof;
  }
  return at + 1;  // one more: a product loads four numbers per column of three (apply_threes)
}

// Sets A->slots, the positions of blocks in A->values, for the rows of the nodes [first, last). After a cut of the
// body, the function also updates A->diagonal_slots; for a new operator, operator_create sets this array later.
static void lay_out_rows(const void *operator, int first, int last) {
  const Operator *A = operator;
  Layout *l = A->layout;
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof;
  for (int a = first; a < last; a++) {
    int at = l->values[a], below = 0;
    l->start[a] = (int)graph->start[a];
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int other = graph->neighbour[pair];
      A->slots[pair] = (BlockSlots){ at, 1, dof };
      below += other < a;
      at += other == a ? dof * (dof - 1) : dof * dof;
    }
    l->below[a] = below;
    if (A->diagonal_slots) A->diagonal_slots[a] = A->slots[l->start[a] + below];
  }
}

static bool create(Operator *A, Error *error) {
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof, nodes = graph->node_count;
  const int64_t pairs = space_pairs(A->space), entries = pairs * dof * dof;
  if (!operator_set_value_count(A, entries + A->n + 1, error)) return false;
  Layout *l = A->layout = array_new(1, sizeof *l, "matrix layout", error);
  if (!l) return false;
  l->start = array_new((int64_t)nodes + 1, sizeof *l->start, "matrix rows", error);
  l->below = array_new(nodes, sizeof *l->below, "matrix rows", error);
  l->values = array_new(nodes, sizeof *l->values, "matrix rows", error);
  if (!l->start || !l->below || !l->values) return false;
  A->value_count = assign_row_slots(A, false);
  parallel_for(nodes, ROWS_CHUNK, lay_out_rows, A);
  l->start[nodes] = (int)pairs;
  return interrupt_check(error);
}

static int count_dots(const Operator *A) {
  return A->space->node_count / PART_NODES + (A->space->node_count % PART_NODES > 0);
}

// Implements OperatorMethod.count_values: returns the length of A->values for `pairs` pairs of nodes, if every node has
// a diagonal block. The length includes one additional number at the end, because a product reads one number past the
// last block.
static int64_t count_values(const Operator *A, int64_t pairs) {
  return pairs * A->space->node_dof * A->space->node_dof + 1;
}

static bool reserve(Operator *A, const SpaceSplit *s, Error *error) {
  Layout *l = A->layout;
  const int64_t before = s->node_before, capacity = s->node_capacity;
  return array_grow(&l->start, before + 1, capacity + 1, sizeof *l->start, "matrix rows", error) &&
         array_grow(&l->below, before, capacity, sizeof *l->below, "matrix rows", error) &&
         array_grow(&l->values, before, capacity, sizeof *l->values, "matrix rows", error);
}

// Implements OperatorMethod.split: after a cut of the body, recomputes A->slots, the positions of all blocks in
// A->values.
static bool split_rows(Operator *A, const SpaceSplit *split, Stream stream, Error *error) {
  (void)stream, (void)error;
  Layout *l = A->layout;
  const int nodes = split->node_count;
  assign_row_slots(A, true);
  parallel_for(nodes, ROWS_CHUNK, lay_out_rows, A);
  l->start[nodes] = (int)split->pairs;
  ((real *)A->values)[A->value_count - 1] = 0;
  return true;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  // Bytes of column indices. Products read the columns from the graph of the space. So these bytes count as read, but
  // not as memory of the matrix.
  const double columns = 4 * stage_blocks(size);
  StageBytes taken = operator_format_bytes(stage, size, stage_entries(size), columns + 12 * size->nodes, 0);
  taken.on[stage->device] -= columns;
  return taken;
}

extern const OperatorMethod REAL_NAME(dbcsr_cpu);
const OperatorMethod REAL_NAME(dbcsr_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "dbcsr",
             .summary = "block compressed sparse rows, with all diagonal entries stored first",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .preferred = true,
             .bytes = bytes },
  .diagonal_first = true,
  .create = create,
  .destroy_layout = destroy_layout,
  .apply = apply,
  .count_dots = count_dots,
  .count_values = count_values,
  .reserve = reserve,
  .split = split_rows,
};
