// Computes the element matrices of quadrilaterals on the CPU and sums them into a matrix: see quad_cells.h. Blocks of
// successive cells get colours so that blocks of one colour share no node; cores process the blocks of one colour at
// the same time (cell_colours.h). Within a block, cells are added in the order in which a GPU's thread block adds them.
// So CPU and GPU add the cells of a node in the same order.
#include <string.h>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "lab/quad/quad_cell.h"
#include "sim/element/symmetric.h"

// SLICE: number of successive matrix rows whose entries are interleaved in memory in format lazy ELLPACK (lazy_rows.h).
// TRIANGLE_MAX: maximum number of entries of the upper triangle of a cell's matrix.
enum { SLICE = 64, TRIANGLE_MAX = QUAD_NODES_MAX * (QUAD_NODES_MAX + 1) / 2 };

// Arguments of the parallel loop over the blocks of one colour. A block is a number of successive cells, and blocks of
// one colour share no node.
typedef struct Task {
  const QuadCells *cells;
  const QuadTarget *target;
  QuadLoop loop;
  // index of the first block to process in CellColours.block_of, which lists the blocks sorted by colour; blocks of one
  // colour share no node
  int first_block;
} Task;

// Computes K, the upper triangle of a cell's matrix, stored row by row. The methods (QuadLoop) compute the tensors T of
// the Gauss points (quad_rule.h) at different times: QUAD_LOCAL_REUSE all in advance, QUAD_REDUNDANT again for each
// entry, and QUAD_GLOBAL_REUSE one after another, each followed by its contribution to all entries.
static inline void cell_matrix(int degree, QuadLoop loop, const QuadRule *rule, const QuadMap *map, real *K) {
  const int nodes = (degree + 1) * (degree + 1);
  real T[QUAD_NODES_MAX][3];
  if (loop == QUAD_LOCAL_REUSE)
    for (int q = 0; q < nodes; q++) quad_point(degree, rule, map, q, T[q]);
  if (loop == QUAD_GLOBAL_REUSE) {
    memset(K, 0, sizeof *K * (size_t)(nodes * (nodes + 1) / 2));
    for (int q = 0; q < nodes; q++) {
      quad_point(degree, rule, map, q, T[0]);
      for (int i = 0, at = 0; i < nodes; i++)
        for (int j = i; j < nodes; j++, at++) K[at] += quad_entry(degree, rule, T[0], q, i, j);
    }
    return;
  }
  for (int i = 0, at = 0; i < nodes; i++)
    for (int j = i; j < nodes; j++, at++) {
      real sum = 0;
      for (int q = 0; q < nodes; q++) {
        if (loop == QUAD_REDUNDANT) quad_point(degree, rule, map, q, T[0]);
        sum += quad_entry(degree, rule, T[loop == QUAD_REDUNDANT ? 0 : q], q, i, j);
      }
      K[at] = sum;
    }
}

// For QUAD_LAZY: reserves `nodes` entries at the end of the matrix row of `node`, to which a cell appends its entries.
// Returns the index of the first reserved entry. The index of each next entry is greater by SLICE (lazy_rows.h).
static inline int64_t lazy_base(const QuadTarget *t, int node, int nodes) {
  const int64_t group = t->start[node / SLICE] + t->length[node];
  t->length[node] += nodes;
  return group * SLICE + node % SLICE;
}

static inline void put_cell(const Task *t, int degree, int e) {
  const QuadCells *c = t->cells;
  const QuadTarget *to = t->target;
  const int nodes = (degree + 1) * (degree + 1);
  const int64_t cells = c->cell_count;
  real K[TRIANGLE_MAX];
  const QuadMap map = quad_map_of(c, e);
  cell_matrix(degree, t->loop, &c->rule, &map, K);
  if (to->storage == QUAD_LOCAL) {
    const int triangle = nodes * (nodes + 1) / 2;
    for (int at = 0; at < triangle; at++) to->values[quad_value(triangle, at, e)] = K[at];
  } else if (to->storage == QUAD_SLOTS) {
    for (int i = 0; i < nodes; i++)
      for (int j = 0; j < nodes; j++) {
        const int at = to->slot[(i * nodes + j) * cells + e];
        if (at >= 0) to->values[at] += K[symmetric_index(nodes, i, j)];
      }
  } else {
    for (int i = 0; i < nodes; i++) {
      const int64_t base = lazy_base(to, c->node[i * cells + e], nodes);
      for (int j = 0; j < nodes; j++) {
        to->values[base + (int64_t)SLICE * j] = K[symmetric_index(nodes, i, j)];
        to->column[base + (int64_t)SLICE * j] = c->node[j * cells + e];
      }
    }
  }
}

static inline void put_block(const Task *t, int degree, int block) {
  const CellColours *colours = &t->cells->colours;
  const int first = block * colours->block, left = t->cells->cell_count - first;
  const int last = first + (left < colours->block ? left : colours->block);
  const bool apart = t->target->storage == QUAD_LOCAL;
  for (int turn = 0; turn < (apart ? 1 : colours->turns); turn++)
    for (int e = first; e < last; e++)
      if (apart || colours->turn[e] == turn) put_cell(t, degree, e);
}

static void put_blocks(const void *task, int first, int last) {
  const Task *t = task;
  for (int k = first; k < last && !interrupt_requested(); k++) {
    const int block = t->target->storage == QUAD_LOCAL ? k : t->cells->colours.block_of[t->first_block + k];
#define PUT(degree) put_block(t, degree, block)
    QUAD_BY_DEGREE(t->cells->degree, PUT);
#undef PUT
  }
}

bool REAL_NAME(quad_assemble_cpu)(const QuadCells *cells, const QuadTarget *target, QuadLoop loop, Error *error) {
  const CellColours *colours = &cells->colours;
  Task task = { cells, target, loop, 0 };
  if (target->shifted) *target->shifted = 0;
  if (target->storage == QUAD_LAZY) memset(target->length, 0, sizeof *target->length * (size_t)cells->node_count);
  if (target->storage == QUAD_LOCAL) {
    parallel_for(colours->block_count, 1, put_blocks, &task);
    return interrupt_check(error);
  }
  if (target->storage == QUAD_SLOTS) memset(target->values, 0, sizeof *target->values * target->value_count);
  for (int colour = 0; colour < colours->count; colour++) {
    task.first_block = colours->start[colour];
    parallel_for(colours->start[colour + 1] - task.first_block, 1, put_blocks, &task);
  }
  return interrupt_check(error);
}
