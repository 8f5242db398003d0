// Assigns nodes to parts and orders the rows of each part. A part is a group of nodes with their rows of the matrix,
// which one multiprocessor of a GPU processes (part_layout.h). A piece is a region of a part with so few tets that a
// thread block of the assembly "parts" can hold them.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "mesh/bisect.h"
#include "mesh/divide.h"
#include "mesh/order.h"
#include "sim/operator/parts/part_balance.h"
#include "sim/operator/parts/part_making.h"

int part_row_length(const Adjacency *graph, int node) {
  const int length = (int)(graph->start[node + 1] - graph->start[node]);
  return length - (adjacency_find(graph, node, node) >= 0);
}

int part_row_chunks(int length) {
  const int chunks = (length + PART_CHUNK - 1) / PART_CHUNK;
  return chunks < 1 ? 1 : chunks < PART_LANES ? chunks : PART_LANES;
}

// Sets *answer to true if the graph is symmetric: whenever b is a neighbour of a, then a is a neighbour of b. Nodes a
// are visited in ascending order, and lists of neighbours ascend. So in a symmetric graph, a is the next unread entry
// in the list of each neighbour b.
static bool symmetric(const Adjacency *graph, bool *answer, Error *error) {
  int64_t *next = array_new(graph->node_count, sizeof *next, "graph", error);
  if (!next) return false;
  memcpy(next, graph->start, sizeof *next * (size_t)graph->node_count);
  *answer = true;
  for (int a = 0; a < graph->node_count && *answer; a++)
    for (int64_t s = graph->start[a]; s < graph->start[a + 1] && *answer; s++) {
      const int b = graph->neighbour[s];
      *answer = next[b] < graph->start[b + 1] && graph->neighbour[next[b]++] == a;
    }
  free(next);
  return true;
}

// Limits for the tets of a piece, a region of a part that a thread block of the assembly "parts" can hold.
// REALS_OF_TET: numbers in shared memory per tet, including its share of the nodes. PIECE_TETS_OF_CPU: max tets of a
// piece on the CPU. BORDER_TETS: if a piece is halved, the sum of the tets of both halves, divided by the tets of the
// piece. It exceeds 1, because tets at the border between the halves count in both.
enum { REALS_OF_TET = 30, PIECE_TETS_OF_CPU = 4095 };
static const double BORDER_TETS = 1.15;

// Returns the max number of tets of a piece, a region of a part that a thread block of the assembly "parts" can hold.
static int piece_tets(const Stage *stage) {
  const size_t bytes = device_block_memory(stage->device), tet = REALS_OF_TET * precision_size(stage->precision);
  return bytes < tet ? PIECE_TETS_OF_CPU : (int)(bytes / tet);
}

// Adds to tets [part_count] the number of cells of each part, which are the cells with at least one node in the part.
// So a cell at a border counts in several parts.
static void count_cells(const PartMaking *m, const Space *space, int *tets) {
  for (int e = 0; e < space->cell_count; e++) {
    const int *node = space_cell(space, e);
    for (int a = 0; a < space->cell_nodes; a++) {
      bool known = false;
      for (int b = 0; b < a && !known; b++) known = m->part[node[b]] == m->part[node[a]];
      tets[m->part[node[a]]] += !known;
    }
  }
}

// Sets tets [part_count] to the number of tets with a node in each part. Returns true if a thread block of the assembly
// "parts" can hold the tets of each part, so that no part must be cut.
static bool parts_are_small(const PartMaking *m, const Operator *A, int *tets) {
  const int maximum = piece_tets(&A->method->stage);
  bool small = true;
  count_cells(m, A->space, tets);
  for (int p = 0; p < m->host.part_count; p++) small = small && tets[p] <= maximum;
  return small;
}

// Moves nodes between parts to balance their numbers of cells. Only on a GPU, where each multiprocessor assembles one
// part. weight [node_count] is the number of blocks of each node's row. Does nothing if a part has more tets than a
// thread block can hold.
static bool balance(const PartMaking *m, const Operator *A, const int *weight, Error *error) {
  const int nodes = m->graph->node_count;
  if (A->method->stage.device != DEVICE_CUDA) return true;
  int *tets = array_new(m->host.part_count, sizeof *tets, "parts", error);
  RowCost *row = array_new(nodes, sizeof *row, "parts", error);
  bool ok = tets && row;
  for (int a = 0; ok && a < nodes; a++) row[a] = (RowCost){ weight[a], part_row_chunks(weight[a] - 1) };
  if (ok && parts_are_small(m, A, tets))
    ok = part_balance(A->space, &m->cells, row, m->host.part_count, m->part, error);
  free(tets);
  free(row);
  return ok;
}

// Assigns each node to a part, m->part. Takes Space.part if it has the right number of parts. Otherwise a large body is
// bisected in space, because METIS, a library for graph partitioning, would take seconds. A smaller body is divided by
// METIS if its graph of neighbours is symmetric. If not, parts are ranges of node numbers. weight [node_count] is the
// number of blocks of each node's row.
static bool divide(PartMaking *m, const Operator *A, const int *weight, Error *error) {
  const Space *space = A->space;
  const int nodes = m->graph->node_count, parts = m->host.part_count;
  bool mutual;
  if (space->part && space->part_count == parts) {
    memcpy(m->part, space->part, sizeof *m->part * (size_t)nodes);
    return true;
  }
  if (space->X && nodes > ORDER_METIS_NODES)
    return bisect_divide((const double(*)[3])space->X, nodes, parts, m->part, error);
  if (!symmetric(m->graph, &mutual, error)) return false;
  if (mutual) return adjacency_divide(m->graph, parts, weight, m->part, error) && balance(m, A, weight, error);
  for (int a = 0; a < nodes; a++) m->part[a] = (int)((int64_t)a * parts / nodes);
  return true;
}

// A row of matrix blocks, with the keys by which rows are sorted. The members are the part that owns the row, the piece
// (region of the part) to which the row belongs, its number of blocks, the number of cells at its node, and the node.
typedef struct Row {
  int part, piece, length, cells, node;
} Row;

// Arguments of a parallel loop over parts. The loop cuts each part into pieces, regions with at most tets_max tets.
typedef struct PiecesTask {
  const Space *space;
  Row *row;  // [node_count], rows of all parts (groups of nodes), part after part
  // [part_count + 1], first row of each part in `row`.
  const int *owned_start;
  const int *tets;  // [part_count], number of tets with a node in each part
  int tets_max;     // max number of tets of a piece (region of a part), those with a node in it
  double (*X)[3];   // [node_count], m, work memory: positions of the nodes of all parts, part after part
  int *order;       // [node_count], work memory: rows of each part, sorted by piece (region)
  Error *error;     // [part_count], error of the bisection of each part
} PiecesTask;

// Bisects each of the parts [first, last) in space until each piece (region of a part) has at most tets_max tets. Sets
// Row.piece, the number of the piece within its part. Example: 0 to 3 if the part was halved twice.
static void find_pieces(const void *task, int first, int last) {
  const PiecesTask *t = task;
  for (int part = first; part < last; part++) {
    const int begin = t->owned_start[part], count = t->owned_start[part + 1] - begin;
    int levels = 0;
    for (double tets = t->tets[part]; tets > t->tets_max && count >> levels > 1; tets *= BORDER_TETS / 2) levels++;
    if (levels == 0) continue;
    for (int i = begin; i < begin + count; i++) memcpy(t->X[i], t->space->X[t->row[i].node], sizeof *t->X);
    if (!bisect_points((const double(*)[3])t->X + begin, count, levels, t->order + begin, &t->error[part])) continue;
    for (int piece = 0; piece < 1 << levels; piece++)
      for (int k = bisect_start(count, levels, piece); k < bisect_start(count, levels, piece + 1); k++)
        t->row[begin + t->order[begin + k]].piece = piece;
  }
}

// Cuts parts into pieces, regions that a thread block of the assembly "parts" can hold, and sets Row.piece of each row.
// Small parts stay whole, with piece 0.
static bool divide_parts(const PartMaking *m, const Operator *A, Row *rows, Error *error) {
  const int nodes = m->graph->node_count, parts = m->host.part_count;
  int *tets = array_new(parts, sizeof *tets, "parts", error);
  if (!tets) return false;
  PiecesTask task = { .space = A->space,
                      .row = rows,
                      .owned_start = m->host.owned_start,
                      .tets = tets,
                      .tets_max = piece_tets(&A->method->stage) };
  bool ok = true;
  if (!parts_are_small(m, A, tets)) {
    task.X = array_new(nodes, sizeof *task.X, "parts", error);
    task.order = array_new(nodes, sizeof *task.order, "parts", error);
    task.error = array_new(parts, sizeof *task.error, "parts", error);
    ok = task.X && task.order && task.error;
    if (ok) parallel_for(parts, 1, find_pieces, &task);
    for (int p = 0; ok && p < parts; p++)
      ok = !task.error[p].message[0] || error_set(error, "%s", task.error[p].message);
    free(task.X);
    free(task.order);
    free(task.error);
  }

  free(tets);
  return ok && interrupt_check(error);
}

static int compare_rows(const void *a, const void *b) {
  const Row *x = a, *y = b;
  if (x->part != y->part) return x->part < y->part ? -1 : 1;
  if (x->piece != y->piece) return x->piece < y->piece ? -1 : 1;
  if (x->length != y->length) return x->length > y->length ? -1 : 1;
  if (x->cells != y->cells) return x->cells > y->cells ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

bool part_order_rows(PartMaking *m, const Operator *A, Error *error) {
  const int nodes = m->graph->node_count;
  PartLayout *h = &m->host;
  Row *rows = array_new(nodes, sizeof *rows, "parts", error);
  int *weight = array_new(nodes, sizeof *weight, "parts", error);
  bool ok = rows && weight;
  for (int a = 0; ok && a < nodes; a++) weight[a] = part_row_length(m->graph, a) + 1;
  ok = ok && divide(m, A, weight, error);

  // Sort the rows by part, by counting. During the sort, owned_start[p + 1] is the index at which the next row of part
  // p is stored; after the sort, it is the index after the last row of part p. Then each part is cut into pieces.
  for (int a = 0; ok && a < nodes; a++)
    if (m->part[a] + 2 <= h->part_count) h->owned_start[m->part[a] + 2]++;
  for (int p = 0; ok && p < h->part_count; p++) h->owned_start[p + 1] += h->owned_start[p];
  for (int a = 0; ok && a < nodes; a++)
    rows[h->owned_start[m->part[a] + 1]++] =
        (Row){ m->part[a], 0, weight[a], (int)(m->cells.start[a + 1] - m->cells.start[a]), a };
  ok = ok && divide_parts(m, A, rows, error) && sort_items(rows, nodes, sizeof *rows, compare_rows, error);
  for (int i = 0; ok && i < nodes; i++) {
    m->number[rows[i].node] = i;
    h->node[i] = rows[i].node;  // list_nodes in part_layout.c inserts the halos later
  }
  free(rows);
  free(weight);
  return ok;
}
