// Builds the lists of matrix blocks of the SSOR preconditioner, symmetric Gauss-Seidel sweeps (ssor.h), and runs the
// sweeps on the CPU.
#include "sim/solver/ssor.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { ROW_CHUNK = 256 };

// The lists of SsorView on the host, during creation. A pair is a matrix block that couples two different nodes.
typedef struct Lists {
  int *row;  // [nodes], row of each node: its index in the order of the sweep
  // start: index of each row's first pair. middle: index of each row's first pair with a later node. other: other node
  // of each pair. at: index in `values` of each pair's entry; NULL if nodes have several unknowns.
  int *start, *middle, *other, *at;
  BlockSlots *slots;  // [pairs], position of each pair's block in `values`, only with several unknowns per node
} Lists;

static void lists_free(Lists *l) {
  free(l->row);
  free(l->start);
  free(l->middle);
  free(l->other);
  free(l->at);
  free(l->slots);
}

// Data from which the lists are built: the operator, whose blocks or cell matrices are listed, and the order of nodes.
typedef struct Source {
  const Operator *A;
  const NodeColours *colours;
  NodeCells cells;  // cells of each node, if the operator stores a matrix for each cell; else empty
} Source;

// Lists the pairs of a row: the matrix blocks that couple its node with the nodes that are earlier in the sweep
// (`behind` 0) or later (`behind` 1). Writes from index `count` on, and returns the index after the last pair.
static int list_pairs(const Source *s, Lists *l, int row, int behind, int count) {
  const Operator *A = s->A;
  const Adjacency *graph = &A->space->graph;
  const int a = s->colours->node[row];
  for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
    const int b = graph->neighbour[pair];
    if (b == a || (l->row[b] > row) != behind) continue;
    l->other[count] = b;
    if (l->at)
      l->at[count] = block_slot(A->slots[pair], 0, 0);
    else
      l->slots[count] = A->slots[pair];
    count++;
  }
  return count;
}

// Lists off-diagonal blocks of a matrix row if the operator stores a small matrix for each cell. Each cell at the row's
// node gives one block for each other node of the cell. With `behind` 0, only nodes earlier in the sweep than the row's
// node are listed, with `behind` 1 only later ones. Writes to `l` from index `count` on, and returns the index after
// the last block.
static int list_cells(const Source *s, Lists *l, int row, int behind, int count) {
  const Space *space = s->A->space;
  const int a = s->colours->node[row], nodes = space->cell_nodes;
  for (int64_t t = s->cells.start[a]; t < s->cells.start[a + 1]; t++) {
    const int e = s->cells.cell[t], *node = space_cell(space, e);
    int i = 0;
    while (node[i] != a) i++;
    for (int j = 0; j < nodes; j++) {
      if (j == i || (l->row[node[j]] > row) != behind) continue;
      l->other[count] = node[j];
      l->at[count++] = s->A->method->cell_entry(s->A, e, i, j);
    }
  }
  return count;
}

typedef struct RowsTask {
  const Source *source;
  Lists *lists;
} RowsTask;

static void list_some_rows(const void *task, int first, int last) {
  const RowsTask *t = task;
  Lists *l = t->lists;
  for (int row = first; row < last && !interrupt_requested(); row++) {
    int count = l->start[row];
    for (int behind = 0; behind < 2; behind++) {
      if (behind) l->middle[row] = count;
      count = t->source->cells.cell ? list_cells(t->source, l, row, behind, count)
                                    : list_pairs(t->source, l, row, behind, count);
    }
  }
}

// Returns the number of pairs of node a, the matrix blocks that couple it with other nodes.
static int row_entries(const Source *s, int a) {
  const Adjacency *graph = &s->A->space->graph;
  if (s->cells.cell) return (int)(s->cells.start[a + 1] - s->cells.start[a]) * (s->A->space->cell_nodes - 1);
  return (int)(graph->start[a + 1] - graph->start[a]) - (adjacency_find(graph, a, a) >= 0);
}

static void list_rows(const Source *s, Lists *l) {
  const int nodes = s->A->space->node_count;
  for (int row = 0; row < nodes; row++) {
    l->row[s->colours->node[row]] = row;
    l->start[row + 1] = l->start[row] + row_entries(s, s->colours->node[row]);
  }
  parallel_for(nodes, ROW_CHUNK, list_some_rows, &(RowsTask){ s, l });
}

// Creates the lists and colours of an empty Ssor.
static bool create_lists(Ssor *ssor, const SolverSystem *system, bool natural, Error *error) {
  const Operator *A = system->A;
  const Space *space = A->space;
  const Device device = A->method->stage.device;
  const int nodes = space->node_count;
  const bool kept = !A->slots && A->method->cell_entry;
  const int64_t pairs = kept ? (int64_t)space->cell_count * space->cell_nodes * space->cell_nodes : space_pairs(space);
  ssor->device = device;

  // Reject operators that do not store all entries of A, and matrices with too many pairs of nodes for an int.
  if (!A->slots && !kept)
    return error_set(
        error, "solver ssor needs a matrix format with stored entries, but \"%s\" stores none; choose another --matrix",
        A->method->stage.name);
  for (int64_t pair = 0; A->slots && pair < pairs; pair++)
    if (A->slots[pair].at < 0)
      return error_set(error,
                       "solver ssor needs all entries, but matrix format \"%s\" stores only the lower triangle; choose "
                       "another --matrix",
                       A->method->stage.name);
  if (pairs > INT32_MAX)
    return error_set(error,
                     "the mesh is too large for solver ssor: %lld pairs of neighbouring nodes, the limit is %d; choose "
                     "another --solver",
                     (long long)pairs, INT32_MAX);

  Lists l = { .row = array_new(nodes, sizeof *l.row, "matrix rows", error),
              .start = array_new((int64_t)nodes + 1, sizeof *l.start, "matrix rows", error),
              .middle = array_new(nodes, sizeof *l.middle, "matrix rows", error),
              .other = array_new(pairs, sizeof *l.other, "matrix columns", error) };
  if (space->node_dof == 1)
    l.at = array_new(pairs, sizeof *l.at, "matrix columns", error);
  else
    l.slots = array_new(pairs, sizeof *l.slots, "matrix columns", error);
  bool ok = l.row && l.start && l.middle && l.other && (l.at || l.slots) &&
            (natural ? node_colours_each : node_colours_create)(&ssor->colours, space, error);
  Source source = { .A = A, .colours = &ssor->colours };
  ok = ok && (!kept || node_cells_create(&source.cells, space, error));
  if (ok) {
    list_rows(&source, &l);
    ok = interrupt_check(error);
  }

  node_cells_destroy(&source.cells);

  if (ok) {
    SsorView *v = &ssor->view;
    const size_t count = (size_t)l.start[nodes];
    v->dof = space->node_dof;
    v->values = A->values;
    v->blocks = A->blocks;
    v->fixed = system->fixed;
    v->node = device_clone(device, ssor->colours.node, sizeof *v->node * (size_t)nodes, error);
    v->start = device_clone(device, l.start, sizeof *l.start * ((size_t)nodes + 1), error);
    v->middle = device_clone(device, l.middle, sizeof *l.middle * (size_t)nodes, error);
    v->other = device_clone(device, l.other, sizeof *l.other * count, error);
    if (l.at) v->at = device_clone(device, l.at, sizeof *l.at * count, error);
    if (l.slots) v->slots = device_clone(device, l.slots, sizeof *l.slots * count, error);
    ok = v->node && v->start && v->middle && v->other && (v->at || v->slots);
  }

  lists_free(&l);
  return ok;
}

Ssor *REAL_NAME(ssor_create)(const SolverSystem *system, bool natural, Error *error) {
  Ssor *ssor = array_new(1, sizeof *ssor, "solver data", error);
  if (!ssor || create_lists(ssor, system, natural, error)) return ssor;
  REAL_NAME(ssor_destroy)(ssor);
  return NULL;
}

void REAL_NAME(ssor_destroy)(void *data) {
  Ssor *ssor = data;
  const SsorView *v = &ssor->view;
  const void *arrays[] = { v->node, v->start, v->middle, v->other, v->at, v->slots };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(ssor->device, (void *)arrays[k]);
  node_colours_destroy(&ssor->colours);
  free(ssor);
}

// Arguments of the parallel loops over the rows (nodes) of one colour. first_row is the first row of the colour.
typedef struct Task {
  const SsorView *v;
  int first_row, backward;
  const real *r;  // [n], input
  real *z;        // [n], output z = M^-1 r
} Task;

// Sweeps over the rows (nodes) `first` to `last` - 1 of a colour. A call with the constant dof = 1 lets the compiler
// make a faster loop.
static inline void sweep_rows(const Task *t, int dof, int first, int last) {
  const SsorView *v = t->v;
  for (int row = t->first_row + first; row < t->first_row + last; row++) {
    real sum[PRECONDITIONER_WIDTH_MAX];
    ssor_pairs(v, dof, t->backward ? v->middle[row] : v->start[row], t->backward ? v->start[row + 1] : v->middle[row],
               1, t->z, sum);
    ssor_node(v, dof, v->node[row], t->backward, sum, t->r, t->z);
  }
}

static void sweep(const void *task, int first, int last) {
  const Task *t = task;
  t->v->dof == 1 ? sweep_rows(t, 1, first, last) : sweep_rows(t, t->v->dof, first, last);
}

bool REAL_NAME(ssor_apply_cpu)(const void *data, const void *r, void *z, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Ssor *ssor = data;
  const NodeColours *colours = &ssor->colours;
  Task task = { .v = &ssor->view, .r = r, .z = z };
  for (int backward = 0; backward < 2; backward++)
    for (int k = 0; k < colours->count; k++) {
      const int c = backward ? colours->count - 1 - k : k;
      task.first_row = colours->start[c];
      task.backward = backward;
      parallel_for(colours->start[c + 1] - colours->start[c], ROW_CHUNK, sweep, &task);
    }
  return true;
}

static void *create(const SolverSystem *system, Stream stream, Error *error) {
  (void)stream;
  return REAL_NAME(ssor_create)(system, false, error);
}

#define APPLIED(row, apply) \
  const AppliedPreconditioner REAL_NAME(row) = { create, REAL_NAME(ssor_destroy), NULL, REAL_NAME(apply) };
APPLIED(ssor_applied_cpu, ssor_apply_cpu)
#ifdef PLIANT_CUDA
APPLIED(ssor_applied_cuda, ssor_apply_cuda)
#endif
