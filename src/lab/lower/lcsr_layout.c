// Builds the index arrays of the format LCSR, the lower triangle of a matrix by rows: see lcsr_layout.h. A slot is the
// index of an entry in the array of values.
#include "lab/lower/lcsr_layout.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { CHUNK = 4096 };

// Arguments of the parallel loops that build the index arrays of LCSR (lcsr_layout.h). Input of lcsr_layout_take:
// row_start [n + 1], the index in `col` of the first column of each of the n rows, and col [row_start[n]]. Results:
// `rows`, mirror_start and `mirror`. lcsr_layout_create makes its input, row_begin and made_col.
typedef struct Task {
  Operator *A;
  const int64_t *row_start;
  const int *col;
  int *rows;           // [n + 1], first slot of each row: row_start as int
  int64_t *row_begin;  // [n + 1], first slot of each row; only if the layout is made from a graph of nodes
  int *made_col;
  const int64_t *column_start;  // [n + 1], index in by_column of each column's first slot
  const int *by_column;         // [entries], slots sorted by column
  int *row_of;                  // [entries], the row that contains each slot
  int *mirror_start;
  LcsrMirror *mirror;
} Task;

static void copy_starts(const void *task, int first, int last) {
  const Task *t = task;
  for (int row = first; row < last; row++) {
    t->rows[row + 1] = (int)t->row_start[row + 1];
    for (int64_t s = t->row_start[row]; s < t->row_start[row + 1]; s++) t->row_of[s] = row;
  }
}

// Builds the mirrors of the rows `first` to `last` - 1: lists the slots of the stored entries below the diagonal block
// in the columns of these numbers. By symmetry, the entry a_ki of column i equals the entry a_ik of row i. So the list
// of column i locates the entries of row i above the diagonal, and is called the mirror of row i (lcsr_layout.h). If
// t->mirror is NULL, the entries are only counted, in t->mirror_start.
static void mirror_columns(const void *task, int first, int last) {
  const Task *t = task;
  const int dof = t->A->space->node_dof;
  for (int column = first; column < last && !interrupt_requested(); column++) {
    int at = t->mirror ? t->mirror_start[column] : 0;
    for (int64_t k = t->column_start[column]; k < t->column_start[column + 1]; k++) {
      const int slot = t->by_column[k], row = t->row_of[slot];
      if (row / dof == column / dof) continue;
      if (t->mirror) t->mirror[at] = (LcsrMirror){ slot, row };
      at++;
    }
    if (!t->mirror) t->mirror_start[column + 1] = at;
  }
}

bool lcsr_layout_take(Operator *A, const int64_t *row_start, const int *col, Error *error) {
  const Device device = A->method->stage.device;
  const int64_t n = A->n, entries = row_start[n];
  if (!operator_set_value_count(A, entries, error)) return false;
  LcsrLayout *layout = A->layout = array_new(1, sizeof *layout, "matrix layout", error);
  int64_t *column_start = array_new(n + 1, sizeof *column_start, "matrix columns", error);
  int *by_column = array_new(entries, sizeof *by_column, "matrix columns", error);
  Task t = { .A = A, .row_start = row_start, .col = col, .column_start = column_start, .by_column = by_column };
  t.rows = array_new(n + 1, sizeof *t.rows, "matrix rows", error);
  t.row_of = array_new(entries, sizeof *t.row_of, "matrix rows", error);
  t.mirror_start = array_new(n + 1, sizeof *t.mirror_start, "matrix rows", error);
  LcsrMirror *mirror = NULL;
  bool ok = layout && column_start && by_column && t.rows && t.row_of && t.mirror_start &&
            sort_by_key(col, entries, A->n, 1, column_start, by_column, error);
  if (ok) {
    parallel_for(A->n, CHUNK, copy_starts, &t);
    parallel_for(A->n, CHUNK, mirror_columns, &t);
    for (int row = 0; row < A->n; row++) t.mirror_start[row + 1] += t.mirror_start[row];
    mirror = t.mirror = array_new(t.mirror_start[n], sizeof *t.mirror, "matrix columns", error);
    ok = mirror;
  }
  if (ok) parallel_for(A->n, CHUNK, mirror_columns, &t);
  ok = ok && interrupt_check(error);
  if (ok) {
    layout->row_start = device_clone(device, t.rows, sizeof *t.rows * (size_t)(n + 1), error);
    layout->col = device_clone(device, col, sizeof *col * (size_t)entries, error);
    layout->mirror_start = device_clone(device, t.mirror_start, sizeof *t.mirror_start * (size_t)(n + 1), error);
    layout->mirror = device_clone(device, mirror, sizeof *mirror * (size_t)t.mirror_start[n], error);
  }

  free(column_start);
  free(by_column);
  free(t.rows);
  free(t.row_of);
  free(t.mirror_start);
  free(mirror);
  return ok && layout->row_start && layout->col && layout->mirror_start && layout->mirror;
}

// Returns the number of stored blocks in the row of node a: one for each neighbour b < a, and the diagonal block.
static int stored_blocks(const Adjacency *graph, int a) {
  int count = 0;
  for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) count += graph->neighbour[pair] <= a;
  return count;
}

static void measure_rows(const void *task, int first, int last) {
  const Task *t = task;
  const int dof = t->A->space->node_dof;
  for (int a = first; a < last; a++)
    for (int i = 0; i < dof; i++)
      t->row_begin[(int64_t)dof * a + i + 1] = (int64_t)dof * stored_blocks(&t->A->space->graph, a);
}

// Returns the slots (indices of values) of block (a, b), b > a, which is above the diagonal: the slot of its first
// entry, the distance between the slots of two successive rows, and that of two successive columns. Only the transposed
// block (b, a) is stored. So the next row of block (a, b) is the next column of the stored block, 1 slot away. The next
// column is the next row of the stored block.
static BlockSlots mirrored_slots(const Task *t, int a, int b) {
  const Adjacency *graph = &t->A->space->graph;
  const int dof = t->A->space->node_dof;
  const int64_t *begin = t->row_begin + (int64_t)dof * b;
  const int block = (int)(adjacency_find(graph, b, a) - graph->start[b]);
  return (BlockSlots){ (int)begin[0] + dof * block, 1, (int)(begin[1] - begin[0]) };
}

static void assign_slots(const void *task, int first, int last) {
  const Task *t = task;
  const Adjacency *graph = &t->A->space->graph;
  const int dof = t->A->space->node_dof;
  for (int a = first; a < last && !interrupt_requested(); a++) {
    const int64_t *begin = t->row_begin + (int64_t)dof * a;
    int block = 0;
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int b = graph->neighbour[pair];
      if (b > a) {
        t->A->slots[pair] = mirrored_slots(t, a, b);
        continue;
      }
      t->A->slots[pair] = (BlockSlots){ (int)begin[0] + dof * block, (int)(begin[1] - begin[0]), 1 };
      for (int i = 0; i < dof; i++)
        for (int k = 0; k < dof; k++) t->made_col[begin[i] + dof * block + k] = dof * b + k;
      block++;
    }
  }
}

bool lcsr_layout_create(Operator *A, Error *error) {
  Task t = { .A = A };
  const int nodes = A->space->node_count;
  t.row_begin = array_new((int64_t)A->n + 1, sizeof *t.row_begin, "matrix rows", error);
  bool ok = t.row_begin;
  if (ok) {
    parallel_for(nodes, CHUNK, measure_rows, &t);
    for (int row = 0; row < A->n; row++) t.row_begin[row + 1] += t.row_begin[row];
    ok = operator_set_value_count(A, t.row_begin[A->n], error) &&
         (t.made_col = array_new(t.row_begin[A->n], sizeof *t.made_col, "matrix columns", error));
  }
  if (ok) parallel_for(nodes, CHUNK, assign_slots, &t);
  ok = ok && interrupt_check(error) && lcsr_layout_take(A, t.row_begin, t.made_col, error);
  free(t.row_begin);
  free(t.made_col);
  return ok;
}

void lcsr_layout_destroy(Operator *A) {
  LcsrLayout *layout = A->layout;
  const Device device = A->method->stage.device;
  device_free(device, layout->row_start);
  device_free(device, layout->col);
  device_free(device, layout->mirror_start);
  device_free(device, layout->mirror);
  free(layout);
}

StageBytes lcsr_bytes(const Stage *stage, const StageSize *size) {
  const double diagonal = size->node_dof * size->node_dof * size->nodes, others = (stage_entries(size) - diagonal) / 2;
  const double index = 4 * (diagonal + others) + sizeof(LcsrMirror) * others + 8 * size->node_dof * size->nodes;
  StageBytes bytes = operator_format_bytes(stage, size, diagonal + others, index, index + 4 * (diagonal + others));
  // A product uses each value below the diagonal twice, but reads it from memory once: the second use finds it in the
  // cache. Indices are read once.
  const double real = (double)precision_size(stage->precision);
  bytes.work[WORK_PRODUCT].read = (diagonal + others) * real + index + size->node_dof * size->nodes * real;
  return bytes;
}
