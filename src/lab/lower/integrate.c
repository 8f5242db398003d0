// The CPU's work on one group of cells (chunked.h): gathers the constants of the cells, computes their element matrices
// if no GPU does, and sums these into the rows of the lower triangle. A row is summed by one core, from all cells at
// its node.
#include <limits.h>
#include <stdatomic.h>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "lab/lower/brick.h"
#include "lab/lower/chunked.h"

enum { ROW_PIECE = 4096 };

// Arguments of the loop that collects the constants S(e) of each cell e of a group: positions of its nodes and the
// factor on its conductivity.
typedef struct GatherTask {
  const Space *space;
  ChunkSlot *slot;
} GatherTask;

static void gather_cells(const void *task, int first, int last) {
  const GatherTask *t = task;
  real *data = t->slot->data;
  int low = INT_MAX, high = -1;
  for (int k = first; k < last && !interrupt_requested(); k++) {
    const int e = t->slot->first + k, *node = space_cell(t->space, e);
    shape_supplemental(t->space, e, data + (size_t)k * BRICK_DATA);
    for (int a = 0; a < BRICK_NODES; a++) {
      low = node[a] < low ? node[a] : low;
      high = node[a] > high ? node[a] : high;
    }
  }
  t->slot->reach[first / CHUNK_PIECE][0] = low;
  t->slot->reach[first / CHUNK_PIECE][1] = high;
}

static void gather(const Chunked *c, ChunkSlot *slot) {
  parallel_for(slot->count, CHUNK_PIECE, gather_cells, &(GatherTask){ c->space, slot });
}

// Arguments of the loop that computes the element matrices of a group of cells. *inverted gets the lowest index, within
// the group, of an inverted cell: one whose det J is not positive.
typedef struct IntegrateTask {
  const ChunkSlot *slot;
  BrickForm form;
  real coefficient;
  atomic_int *inverted;
} IntegrateTask;

static void integrate_cells(const void *task, int first, int last) {
  const IntegrateTask *t = task;
  const real *data = t->slot->data;
  real *records = t->slot->records;
  for (int k = first; k < last && !interrupt_requested(); k++) {
    const real *S = data + (size_t)k * BRICK_DATA;
    real *made = records + (size_t)k * BRICK_ENTRIES;
    const real least =
        t->form == BRICK_MASS ? brick_mass(S, t->coefficient, made) : brick_matrix(S, t->coefficient, made);
    int found = atomic_load_explicit(t->inverted, memory_order_relaxed);
    while (!(least > 0) && k < found && !atomic_compare_exchange_weak(t->inverted, &found, k)) continue;
  }
}

static bool integrate(const Chunked *c, const ChunkSlot *slot, double coefficient, Error *error) {
  (void)error;
  atomic_int inverted = INT_MAX;
  parallel_for(slot->count, CHUNK_PIECE, integrate_cells,
               &(IntegrateTask){ slot, c->form, (real)coefficient, &inverted });
  *slot->inverted = inverted;
  return true;
}

// Arguments of the loop that adds the element matrices of a group of cells to the matrix rows. The loop index counts
// from 0, and index k stands for matrix row low + k.
typedef struct SumTask {
  const Chunked *chunked;
  const ChunkSlot *slot;
  int low;
  real *values;
} SumTask;

// Guesses make the search for columns fast: for the k-th cell at a node, find_column first tests the indices at which
// the columns of the k-th cell at the previous node were found. sum_rows stores these guesses for GUESSED cells per
// node. All further cells at the node share the last guesses.
enum { GUESSED = 16 };

// Returns the index of `node` in col [length], the columns of one matrix row, ascending. On entry *guess is the index
// that was found for the previous row. It is tested before the search, because in structured meshes the indices of two
// successive rows are mostly equal. On return *guess is the new index.
static inline int find_column(const int *col, int length, int node, int *guess) {
  if (*guess < length && col[*guess] == node) return *guess;
  int at = 0;
  for (int s = 0; s < length; s++) at += col[s] < node;
  return *guess = at;
}

static void sum_rows(const void *task, int first, int last) {
  const SumTask *t = task;
  int guesses[GUESSED][BRICK_NODES] = { { 0 } };
  const LowerPattern *p = t->chunked->pattern;
  const LowerCorners *corners = t->chunked->corners;
  const int begin = BRICK_NODES * t->slot->first, end = begin + BRICK_NODES * t->slot->count;
  const real *records = t->slot->records;
  for (int row = t->low + first; row < t->low + last; row++) {
    int64_t k = corners->start[row];
    const int64_t past = corners->start[row + 1];
    const int *col = p->col + p->start[row];
    const int length = (int)(p->start[row + 1] - p->start[row]);
    real *values = t->values + p->start[row];

    // The first group that has a cell at this row's node sets the row to 0; later groups add to it.
    if (k < past && corners->corner[k] >= begin && corners->corner[k] < end)
      for (int s = 0; s < length; s++) values[s] = 0;
    while (k < past && corners->corner[k] < begin) k++;
    int *guess = guesses[0];
    for (; k < past && corners->corner[k] < end; k++) {
      const int e = corners->corner[k] / BRICK_NODES, a = corners->corner[k] % BRICK_NODES;
      const int *node = space_cell(t->chunked->space, e);
      const real *K = records + (size_t)(e - t->slot->first) * BRICK_ENTRIES;
      for (int b = 0; b < BRICK_NODES; b++) {
        if (node[b] > row) continue;
        const int at = find_column(col, length, node[b], &guess[b]);
        values[at] += K[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a];
      }
      if (guess != guesses[GUESSED - 1]) guess += BRICK_NODES;
    }
  }
}

static void sum(const Chunked *c, const ChunkSlot *slot, int low, int high, void *values) {
  parallel_for(high - low + 1, ROW_PIECE, sum_rows, &(SumTask){ c, slot, low, values });
}

extern const ChunkedOperations REAL_NAME(chunked_cpu);
extern const ChunkedHost REAL_NAME(chunked_host);
const ChunkedOperations REAL_NAME(chunked_cpu) = {
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .integrate = integrate,
};
const ChunkedHost REAL_NAME(chunked_host) = { REAL_PRECISION, sizeof(real) * BRICK_DATA, sizeof(real) * BRICK_ENTRIES,
                                              gather, sum };
