// Copies an operator's entries into the format that a factorisation needs: the upper triangle by columns (entries.h).
#include "sim/direct/entries.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/parallel.h"

enum { COLUMNS = 512 };  // number of columns that a thread processes at a time

// The 3x3 blocks of one node in the lower triangle of A: its pairs with nodes b <= `node`. A node b is a neighbour in
// the mesh, the node itself, or the partner in an extra pair (entries_create).
typedef struct Row {
  const Operator *A;
  const NodePair *extra;
  int64_t first, last;  // range of the node's pairs in `extra`
  int node;
} Row;

// Calls `take` for each 3x3 block (node, b) in the row of a node, for b <= node in ascending order, so the diagonal
// block is the last. `pair` is the index of the block in the mesh's graph, or -1 if the block comes only from an extra
// pair. Returns the number of blocks.
static int64_t walk_row(const Row *row, void (*take)(void *user, int b, int64_t pair), void *user) {
  const Adjacency *graph = &row->A->space->graph;
  int64_t pair = graph->start[row->node], extra = row->first, count = 0;
  const int64_t end = graph->start[row->node + 1];
  for (;;) {
    const int b = pair < end && graph->neighbour[pair] <= row->node ? graph->neighbour[pair] : INT32_MAX;
    const int c = extra < row->last ? row->extra[extra].b : INT32_MAX;
    if (b == INT32_MAX && c == INT32_MAX) return count;
    if (take) take(user, b <= c ? b : c, b <= c ? pair : -1);
    count++;
    pair += b <= c;
    extra += c <= b;
  }
}

// Arguments of fill_block, which appends the entries of a 3x3 block to the columns of `node`.
typedef struct Filling {
  Entries *entries;
  const Operator *A;
  int node;
  int64_t at[OPERATOR_DOF_MAX];  // next entry in each column of the node
} Filling;

static void fill_block(void *filling, int b, int64_t pair) {
  Filling *f = filling;
  const int dof = f->A->space->node_dof, a = f->node;
  for (int i = 0; i < dof; i++)
    for (int k = 0; k < dof && (b < a || k <= i); k++) {
      const int64_t at = f->at[i]++;
      f->entries->columns.row[at] = (int64_t)dof * b + k;
      f->entries->source[at] = pair < 0 ? ENTRY_OF_TERM
                               : b == a ? ~(((int64_t)a * dof + i) * dof + k)
                                        : operator_slot(f->A, a, pair, i, k);
    }
}

bool entries_create(Entries *entries, const Operator *A, const NodePair *extra, int64_t count, Error *error) {
  const int dof = A->space->node_dof, nodes = A->space->node_count;
  SymmetricColumns *columns = &entries->columns;
  *entries = (Entries){ 0 };
  if (!A->slots || dof > OPERATOR_DOF_MAX)
    return error_set(error,
                     "the matrix must be factorised, but matrix format \"%s\" does not store its entries; choose "
                     "another format (--matrix)",
                     A->method->stage.name);

  // Count the blocks of each node, to compute the index at which each of its columns begins.
  columns->n = A->n;
  columns->start = array_new((int64_t)A->n + 1, sizeof *columns->start, "matrix columns", error);
  if (!columns->start) return false;
  Row row = { .A = A, .extra = extra };
  for (int a = 0; a < nodes; a++) {
    row.node = a;
    row.first = row.last;
    while (row.last < count && extra[row.last].a == a) row.last++;
    const int64_t blocks = walk_row(&row, NULL, NULL);
    for (int i = 0; i < dof; i++) {
      const int64_t column = (int64_t)dof * a + i;
      columns->start[column + 1] = columns->start[column] + dof * (blocks - 1) + i + 1;
    }
  }

  columns->row = array_new(columns->start[A->n], sizeof *columns->row, "matrix rows", error);
  columns->value = array_new(columns->start[A->n], sizeof *columns->value, "matrix values", error);
  entries->source = array_new(columns->start[A->n], sizeof *entries->source, "matrix values", error);
  if (!columns->row || !columns->value || !entries->source) {
    entries_destroy(entries);
    return false;
  }
  row.last = 0;
  for (int a = 0; a < nodes; a++) {
    Filling f = { .entries = entries, .A = A, .node = a };
    row.node = a;
    row.first = row.last;
    while (row.last < count && extra[row.last].a == a) row.last++;
    for (int i = 0; i < dof; i++) f.at[i] = columns->start[(int64_t)dof * a + i];
    walk_row(&row, fill_block, &f);
  }
  return true;
}

void entries_destroy(Entries *entries) {
  free(entries->columns.start);
  free(entries->columns.row);
  free(entries->columns.value);
  free(entries->source);
  *entries = (Entries){ 0 };
}

// Arguments of copy_columns. blocks: the diagonal blocks of A; if A stores them rounded, their values before rounding.
typedef struct Copy {
  const Entries *entries;
  const Operator *A;
  const void *blocks;
  double *value;
} Copy;

static void copy_columns(const void *context, int first, int last) {
  const Copy *copy = context;
  const int64_t *start = copy->entries->columns.start;
  const bool in_double = copy->A->method->stage.precision == PRECISION_F64;
  for (int64_t at = start[first]; at < start[last]; at++) {
    const int64_t source = copy->entries->source[at], slot = source < 0 ? ~source : source;
    const void *from = source < 0 ? copy->blocks : copy->A->values;
    if (source == ENTRY_OF_TERM)
      copy->value[at] = 0;
    else
      copy->value[at] = in_double ? ((const double *)from)[slot] : (double)((const float *)from)[slot];
  }
}

bool entries_copy(const Entries *entries, const Operator *A, double *value, Error *error) {
  const int64_t dof = A->space->node_dof;
  void *unrounded = NULL;
  if (A->method->unrounded_blocks) {
    unrounded =
        array_new(A->space->node_count * dof * dof, precision_size(A->method->stage.precision), "matrix values", error);
    if (!unrounded) return false;
    A->method->unrounded_blocks(A, unrounded);
  }
  const Copy copy = { entries, A, unrounded ? unrounded : A->blocks, value };
  parallel_for_light(A->n, COLUMNS, copy_columns, &copy);
  free(unrounded);
  return true;
}

// Arguments of fix_columns, with the meaning of the arguments of columns_fix.
typedef struct Fixing {
  const SymmetricColumns *columns;
  const uint8_t *fixed;
  double diagonal;
  double *value;
} Fixing;

static void fix_columns(const void *context, int first, int last) {
  const Fixing *f = context;
  const SymmetricColumns *c = f->columns;
  for (int j = first; j < last; j++)
    for (int64_t at = c->start[j]; at < c->start[j + 1]; at++)
      if (f->fixed[j] || f->fixed[c->row[at]]) f->value[at] = c->row[at] == j ? f->diagonal : 0;
}

void columns_fix(const SymmetricColumns *columns, const uint8_t *fixed, double diagonal, double *value) {
  const Fixing fixing = { columns, fixed, diagonal, value };
  parallel_for_light((int)columns->n, COLUMNS, fix_columns, &fixing);
}

int64_t entries_find(const Entries *entries, int64_t row, int64_t column) {
  const SymmetricColumns *columns = &entries->columns;
  int64_t low = columns->start[column], high = columns->start[column + 1] - 1;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (columns->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low == high && columns->row[low] == row ? low : -1;
}

void entries_add(void *to, int a, int b, const double block[9]) {
  Entries *entries = to;
  for (int i = 0; i < 3; i++) {
    const int64_t at = entries_find(entries, 3 * (int64_t)b, 3 * (int64_t)a + i);
    for (int k = 0; k < 3; k++) entries->columns.value[at + k] += block[3 * i + k];
  }
}
