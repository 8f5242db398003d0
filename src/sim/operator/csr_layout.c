// CSR's index arrays: see csr_layout.h.
#include "sim/operator/csr_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

// the rows of node a, behind the `count` entries of those before it; returns how many there are then
static int place_node(Operator *A, int a, int count, int *row_start, int *col) {
  const Adjacency *graph = &A->space->graph;
  const int dof = A->space->node_dof, first = operator_diagonal_slots(A);
  const int64_t own = first ? adjacency_find(graph, a, a) : -1;
  const int length = dof * (int)(graph->start[a + 1] - graph->start[a]) - (own >= 0);  // entries of each row
  int column = 0;
  for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++, column += dof)
    A->place[pair] = (BlockPlace){ first + count + column - (own >= 0 && pair > own), length, 1 };
  for (int i = 0; i < dof; i++) {
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
      for (int k = 0; k < dof; k++)
        if (pair != own || k != i) col[count++] = dof * graph->neighbour[pair] + k;
    row_start[dof * a + i + 1] = count;
  }
  return count;
}

bool csr_place_rows(Operator *A, int **row_start, int **col, Error *error) {
  const int dof = A->space->node_dof;
  const int64_t entries = dof * dof * space_pairs(A->space);
  int count = 0;
  // a row whose node has no block with itself keeps its slot in the diagonal
  if (!operator_set_value_count(A, entries + operator_diagonal_slots(A), error)) return false;
  *row_start = array_new((int64_t)A->n + 1, sizeof **row_start, "matrix rows", error);
  *col = array_new(entries, sizeof **col, "matrix columns", error);
  if (*row_start && *col) {
    for (int a = 0; a < A->space->node_count && !interrupt_signal(); a++)
      count = place_node(A, a, count, *row_start, *col);
    A->value_count = (int64_t)operator_diagonal_slots(A) + count;
    if (interrupt_check(error)) return true;
  }
  free(*row_start);
  free(*col);
  return false;
}

bool csr_layout_create(Operator *A, Error *error) {
  const Device device = A->method->stage.device;
  int *row_start, *col;
  if (!csr_place_rows(A, &row_start, &col, error)) return false;
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
  free(layout);
}

StageBytes csr_bytes(const Stage *stage, const StageSize *size) {
  const double entries = stage_entries(size);
  return operator_format_bytes(stage, size, entries, 4 * entries, stage->device == DEVICE_CUDA ? 4 * entries : 0);
}
