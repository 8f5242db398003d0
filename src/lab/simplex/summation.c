// Computes element matrices and their sums on the CPU: see simplex_matrix.h.
#include "base/interrupt.h"
#include "base/parallel.h"
#include "lab/simplex/simplex_block.h"
#include "lab/simplex/simplex_matrix.h"

enum { CHUNK = 64, ROWS = 256, GROUPS = 512, CHANGED = 16, CAPACITY = 512 };

static BlockSource source_of(const SimplexMatrix *A) {
  return (BlockSource){ A->records, A->weight, (real)A->build.lambda, (real)A->build.mu };
}

static void make_elements(const void *matrix, int first, int last) {
  const SimplexMatrix *A = matrix;
  const int pairs = pair_count(simplex_cell_nodes(A->topology->degree));
  for (int e = first; e < last && !interrupt_requested(); e++) {
    const TetGeometry g = tet_geometry(A->topology, e, (real)A->build.lambda, (real)A->build.mu);
    real *record = (real *)A->records + (int64_t)e * pairs * 9;
    for (int pair = 0; pair < pairs; pair++) tet_block(A->weight, pairs, pair, &g, record + 9 * pair);
  }
}

static bool elements(const SimplexMatrix *A, Error *error) {
  parallel_for(A->topology->tet_count, CHUNK, make_elements, A);
  return interrupt_check(error);
}

// Computes the rows of blocks `first` to `last` - 1 of the matrix: sums the blocks of the tets at the rows' nodes.
// Callers pass `degree` as a constant, so that loops have constant lengths.
static inline void sum_rows_of(const SimplexMatrix *A, int degree, int first, int last) {
  const BlockSource from = source_of(A);
  const SimplexPattern *m = &A->pattern;
  for (int r = first; r < last && !interrupt_requested(); r++) {
    const int *list = m->layout.column + row_first_slot(m, r);
    if (from.record)
      sum_row(degree, 0, A->topology, NULL, m, r, list, m->bin, &from, A->values, A->diagonal_blocks);
    else
      sum_row(degree, 1, A->topology, NULL, m, r, list, m->bin, &from, A->values, A->diagonal_blocks);
  }
}

static void sum_rows(const void *matrix, int first, int last) {
  const SimplexMatrix *A = matrix;
  A->topology->degree == 1   ? sum_rows_of(A, 1, first, last)
  : A->topology->degree == 2 ? sum_rows_of(A, 2, first, last)
                             : sum_rows_of(A, 3, first, last);
}

static inline void sum_slots_of(const SimplexMatrix *A, int degree, int first, int last) {
  const BlockSource from = source_of(A);
  const int bin = A->pattern.bin;
  for (int64_t slot = (int64_t)first * bin; slot < (int64_t)last * bin; slot++)
    sum_slot(degree, &A->map, &A->pattern, slot, &from, A->values);
}

static void sum_slots(const void *matrix, int first, int last) {
  const SimplexMatrix *A = matrix;
  A->topology->degree == 1   ? sum_slots_of(A, 1, first, last)
  : A->topology->degree == 2 ? sum_slots_of(A, 2, first, last)
                             : sum_slots_of(A, 3, first, last);
}

static void sum_diagonal_blocks(const void *matrix, int first, int last) {
  const SimplexMatrix *A = matrix;
  const BlockSource from = source_of(A);
  for (int a = first; a < last; a++) sum_diagonal(A->topology->degree, A->topology, a, &from, A->diagonal_blocks);
}

static bool sum(const SimplexMatrix *A, Error *error) {
  if (A->build.summation != SUM_PERENTRY) {
    parallel_for(A->pattern.rows, ROWS, sum_rows, A);
  } else {
    parallel_for(A->pattern.group_count, GROUPS, sum_slots, A);
    if (A->diagonal_blocks) parallel_for(A->pattern.rows, ROWS, sum_diagonal_blocks, A);
  }
  return interrupt_check(error);
}

// Arguments of a loop over rows of blocks that changed. absent [tets]: 1 for tets that are not part of the matrix.
typedef struct UpdateTask {
  SimplexMatrix *A;
  const int *node;
  const uint8_t *absent;
} UpdateTask;

// Sets the columns and values of a row of blocks to 0, with those of its padding.
static void clear_row(SimplexMatrix *A, int row) {
  const SimplexPattern *m = &A->pattern;
  const int bin = row / m->bin, width = m->layout.start[bin + 1] - m->layout.start[bin];
  const int64_t first = row_first_slot(m, row), values = slot_values(m, first);
  for (int j = 0; j < width; j++) {
    m->layout.column[first + (int64_t)j * m->bin] = 0;
    for (int c = 0; c < 9; c++) ((real *)A->values)[values + ((int64_t)j * 9 + c) * m->bin] = 0;
  }
}

static inline void update_rows_of(const UpdateTask *k, int degree, int first, int last) {
  SimplexMatrix *A = k->A;
  SimplexPattern *m = &A->pattern;
  const BlockSource from = source_of(A);
  int near[CAPACITY];
  for (int n = first; n < last && !interrupt_requested(); n++) {
    const int node = k->node[n];  // the row of a node has its number, because the rows are not sorted
    int *list = m->layout.column + row_first_slot(m, node);
    clear_row(A, node);
    m->layout.length[node] = m->diagonal_apart + row_columns(degree, A->topology, k->absent, node, !m->diagonal_apart,
                                                             near, 1, CAPACITY, list, m->bin);
    if (from.record)
      sum_row(degree, 0, A->topology, k->absent, m, node, list, m->bin, &from, A->values, A->diagonal_blocks);
    else
      sum_row(degree, 1, A->topology, k->absent, m, node, list, m->bin, &from, A->values, A->diagonal_blocks);
  }
}

static void update_rows(const void *task, int first, int last) {
  const UpdateTask *k = task;
  const int degree = k->A->topology->degree;
  degree == 1   ? update_rows_of(k, 1, first, last)
  : degree == 2 ? update_rows_of(k, 2, first, last)
                : update_rows_of(k, 3, first, last);
}

static bool update(SimplexMatrix *A, const uint8_t *absent, const int *node, int count, Error *error) {
  parallel_for(count, CHANGED, update_rows, &(UpdateTask){ A, node, absent });
  return interrupt_check(error);
}

extern const SummationOperations REAL_NAME(summation_cpu);
const SummationOperations REAL_NAME(summation_cpu) = {
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .elements = elements,
  .sum = sum,
  .update = update,
};
