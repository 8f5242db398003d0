// Creates the index arrays of CSR and DCSR, the row starts and columns, on the operator's device. DCSR is CSR with the
// diagonal of the matrix stored separately.
#include "sim/operator/formats/csr_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { NODE_CHUNK = 1024 };

// Arguments of the parallel loops over nodes: the operator, and the arrays of CsrLayout on the host.
typedef struct Task {
  Operator *A;
  int *row_start, *col;
} Task;

// For DCSR, returns the index of node a's diagonal block in the graph's list of neighbours; -1 if there is none. For
// CSR, returns -1, because its rows contain the diagonal.
static int64_t diagonal_pair(const Operator *A, int a) {
  return operator_diagonal_slots(A) ? adjacency_find(&A->space->graph, a, a) : -1;
}

// Writes the number of entries of each row to row_start[row + 1]. Later the caller adds up these lengths, so that
// row_start[row] becomes the number of entries in all earlier rows.
static void measure_rows(const void *task, int first, int last) {
  const Task *t = task;
  const Adjacency *graph = &t->A->space->graph;
  const int dof = t->A->space->node_dof;
  for (int a = first; a < last; a++)
    for (int i = 0; i < dof; i++)
      t->row_start[dof * a + i + 1] =
          dof * (int)(graph->start[a + 1] - graph->start[a]) - (diagonal_pair(t->A, a) >= 0);
}

// Sets A->slots, the positions in A->values of the blocks of nodes first_node to last_node - 1, and the column of each
// entry in the rows of these nodes.
static void assign_slots(const void *task, int first_node, int last_node) {
  const Task *t = task;
  const Adjacency *graph = &t->A->space->graph;
  const int dof = t->A->space->node_dof, first = operator_diagonal_slots(t->A);
  for (int a = first_node; a < last_node && !interrupt_requested(); a++) {
    const int64_t diagonal = diagonal_pair(t->A, a);
    const int begin = t->row_start[dof * a], length = t->row_start[dof * a + 1] - begin;
    int column = 0, count = begin;
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++, column += dof)
      t->A->slots[pair] = (BlockSlots){ first + begin + column - (diagonal >= 0 && pair > diagonal), length, 1 };
    for (int i = 0; i < dof; i++)
      for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
        for (int k = 0; k < dof; k++)
          if (pair != diagonal || k != i) t->col[count++] = dof * graph->neighbour[pair] + k;
  }
}

bool csr_assign_slots(Operator *A, int **row_start, int **col, Error *error) {
  const int dof = A->space->node_dof;
  const int64_t entries = dof * dof * space_pairs(A->space);

  // The sum is an upper bound of the number of values: DCSR stores n diagonal entries, even for nodes without a
  // diagonal block.
  if (!operator_set_value_count(A, entries + operator_diagonal_slots(A), error)) return false;
  *row_start = array_new((int64_t)A->n + 1, sizeof **row_start, "matrix rows", error);
  *col = array_new(entries, sizeof **col, "matrix columns", error);
  if (*row_start && *col) {
    const Task task = { A, *row_start, *col };
    parallel_for(A->space->node_count, NODE_CHUNK, measure_rows, &task);
    for (int row = 0; row < A->n; row++) (*row_start)[row + 1] += (*row_start)[row];
    parallel_for(A->space->node_count, NODE_CHUNK, assign_slots, &task);
    A->value_count = (int64_t)operator_diagonal_slots(A) + (*row_start)[A->n];
    if (interrupt_check(error)) return true;
  }
  free(*row_start);
  free(*col);
  return false;
}

bool csr_layout_create(Operator *A, Error *error) {
  const Device device = A->method->stage.device;
  int *row_start, *col;
  if (!csr_assign_slots(A, &row_start, &col, error)) return false;
  CsrLayout *layout = A->layout = array_new(1, sizeof *layout, "matrix layout", error);
  if (layout) {
    layout->row_start = device_clone(device, row_start, sizeof *row_start * ((size_t)A->n + 1), error);
    layout->col = device_clone(device, col, sizeof *col * (size_t)row_start[A->n], error);
  }
  free(row_start);
  free(col);
  return layout && layout->row_start && layout->col;
}

void csr_layout_destroy(Operator *A) {
  CsrLayout *layout = A->layout;
  device_free(A->method->stage.device, layout->row_start);
  device_free(A->method->stage.device, layout->col);
  device_free(A->method->stage.device, layout->block_row);
  free(layout);
}

StageBytes csr_bytes(const Stage *stage, const StageSize *size) {
  const double entries = stage_entries(size);
  return operator_format_bytes(stage, size, entries, 4 * entries, stage->device == DEVICE_CUDA ? 4 * entries : 0);
}
