// Builds the lists along which the matrix block of each node and each pair of nodes is summed (node_pairs.h). A list
// has one number, a source, for each cell that contributes. The source names the cell and one or two of its nodes.
#include "sim/assembly/node_pairs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { NODE_CHUNK = 1024 };

// Arguments of the parallel loops of this file. layout: the operator that stores the matrix, with the position of each
// block.
typedef struct Task {
  const Space *space;
  NodePairs *pairs;
  const Operator *layout;
} Task;

// Converts the lists of the nodes [first, last): replaces each cell number by the source that names the node in this
// cell, cell * cell_nodes + the node's number within the cell.
static void number_sources(const void *task, int first, int last) {
  const Task *t = task;
  const int corners = t->space->cell_nodes;
  for (int a = first; a < last && !interrupt_requested(); a++)
    for (int64_t s = t->pairs->node_start[a]; s < t->pairs->node_start[a + 1]; s++) {
      int *source = &t->pairs->node_source[s], local = 0;
      while (space_cell(t->space, *source)[local] != a) local++;
      *source = node_source(corners, *source, local);
    }
}

// Builds the list of sources of each pair (a, b) with a < b and a in [first, last). A source is a number that combines
// a cell of the pair with the positions of a and b in the cell. The function runs twice. In the first run, p->source is
// NULL, and tet_start[pair] counts the sources of each pair. In the second run, tet_start[pair] is the index at which
// the pair's next source is stored, and is advanced by 1 each time.
static void visit_pairs(const void *task, int first, int last) {
  const Task *t = task;
  const NodePairs *p = t->pairs;
  const Adjacency *graph = &t->space->graph;
  const int corners = t->space->cell_nodes;
  for (int a = first; a < last && !interrupt_requested(); a++) {
    const int64_t diagonal = adjacency_find(graph, a, a);
    for (int64_t s = p->node_start[a]; s < p->node_start[a + 1]; s++) {
      const int e = p->node_source[s] / corners, local = p->node_source[s] % corners;
      const int *node = space_cell(t->space, e);
      for (int b = 0; b < corners; b++) {
        if (node[b] <= a) continue;
        const int64_t pair = p->start[a] + (adjacency_find(graph, a, node[b]) - diagonal) - 1;
        if (p->source)
          p->source[p->tet_start[pair]++] = pair_source(corners, e, local, b);
        else
          p->tet_start[pair]++;
      }
    }
  }
}

// Makes the list of each node: lists the cells at the node, then replaces each cell by its source, a number that names
// the cell and the node within it (number_sources).
static bool list_node_sources(const Task *task, Error *error) {
  NodeCells cells;
  if (!node_cells_create(&cells, task->space, error)) return false;
  task->pairs->node_start = cells.start;
  task->pairs->node_source = cells.cell;
  parallel_for(task->space->node_count, NODE_CHUNK, number_sources, task);
  return interrupt_check(error);
}

// Makes the list of each pair of nodes. Its items are sources: numbers that name a cell with both nodes, and the nodes'
// numbers in this cell. The function counts the sources of each pair, computes the index at which each list begins, and
// stores the sources.
static bool list_pair_sources(const Task *task, Error *error) {
  NodePairs *pairs = task->pairs;
  const int count = pairs->start[pairs->node_count];
  pairs->tet_start = array_new((int64_t)count + 1, sizeof *pairs->tet_start, "node pairs", error);
  if (!pairs->tet_start) return false;
  parallel_for(pairs->node_count, NODE_CHUNK, visit_pairs, task);
  int64_t before = 0;
  for (int pair = 0; pair <= count; pair++) {
    const int64_t here = pairs->tet_start[pair];
    pairs->tet_start[pair] = before;
    before += here;
  }
  pairs->source = array_new(before, sizeof *pairs->source, "node pairs", error);
  if (!pairs->source || !interrupt_check(error)) return false;
  parallel_for(pairs->node_count, NODE_CHUNK, visit_pairs, task);

  // tet_start[pair] is now the end of the pair's list, which is the start of the next list. Shift the array by one
  // element, so that tet_start[pair] is the start of the pair's list again.
  for (int pair = count; pair > 0; pair--) pairs->tet_start[pair] = pairs->tet_start[pair - 1];
  pairs->tet_start[0] = 0;
  return interrupt_check(error);
}

// For each node of [first, last): finds the position, in the matrix, of its diagonal block. Also finds the positions of
// the blocks of its pairs with neighbours of higher number.
static void find_slots(const void *task, int first, int last) {
  const Operator *layout = ((const Task *)task)->layout;
  NodePairs *pairs = ((const Task *)task)->pairs;
  const Adjacency *graph = &layout->space->graph;
  for (int a = first; a < last && !interrupt_requested(); a++) {
    int64_t direct = adjacency_find(graph, a, a);
    pairs->diagonal_slots[a] = operator_block_slots(layout, direct);
    for (int pair = pairs->start[a]; pair < pairs->start[a + 1]; pair++) {
      const int64_t transposed = adjacency_find(graph, graph->neighbour[++direct], a);
      pairs->slots[pair][0] = operator_block_slots(layout, direct);
      pairs->slots[pair][1] = operator_block_slots(layout, transposed);
    }
  }
}

bool node_pairs_create(NodePairs *pairs, const Space *space, const Operator *layout, Error *error) {
  const int nodes = space->node_count, corners = space->cell_nodes;
  const int64_t count = (space_pairs(space) - nodes) / 2;
  NodePairs made = { .node_count = nodes };
  bool ok = false;
  const Task task = { space, &made, layout };
  made.start = array_new((int64_t)nodes + 1, sizeof *made.start, "node pairs", error);
  if (!made.start) goto done;
  if (space->cell_count > INT32_MAX / (corners * corners) || count > INT32_MAX) {
    error_set(error,
              "the mesh is too large for this assembly method: it has %d cells, the limit is %d; choose another method "
              "(--assembly)",
              space->cell_count, INT32_MAX / (corners * corners));
    goto done;
  }

  // The list of node a's neighbours is ascending and includes a. The neighbours after a form the pairs whose lower node
  // is a.
  for (int a = 0; a < nodes; a++)
    made.start[a + 1] = made.start[a] + (int)(space->graph.start[a + 1] - adjacency_find(&space->graph, a, a)) - 1;
  made.diagonal_slots = array_new(nodes, sizeof *made.diagonal_slots, "nodes", error);
  made.slots = array_new(count, sizeof *made.slots, "node pairs", error);
  if (!made.diagonal_slots || !made.slots || !list_node_sources(&task, error) || !list_pair_sources(&task, error))
    goto done;
  parallel_for(nodes, NODE_CHUNK, find_slots, &task);
  ok = interrupt_check(error);
done:
  if (ok)
    *pairs = made;
  else
    node_pairs_destroy(&made);
  return ok;
}

void node_pairs_destroy(NodePairs *pairs) {
  free(pairs->node_start);
  free(pairs->node_source);
  free(pairs->diagonal_slots);
  free(pairs->start);
  free(pairs->tet_start);
  free(pairs->source);
  free(pairs->slots);
  *pairs = (NodePairs){ 0 };
}
