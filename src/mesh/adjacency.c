// Which nodes share a cell: see adjacency.h. Nothing is sorted: for b in ascending order, b is appended to the lists of
// all its neighbours, so every list is ascending in the end. Linear in the cells around all nodes.
#include "mesh/adjacency.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

// The cells, and those around each node.
typedef struct Around {
  int node_count, cell_count, cell_nodes;
  const int *cell;  // [cell_count][cell_nodes]
  int64_t *start;   // [node_count + 1], into around
  int *around;      // [cell_nodes * cell_count]
  int *seen;        // [node_count], b + 1 for the nodes found around b
} Around;

static bool around_create(Around *g, Error *error) {
  const int64_t corners = (int64_t)g->cell_nodes * g->cell_count;
  g->start = array_new((int64_t)g->node_count + 2, sizeof *g->start, "cells of nodes", error);
  g->around = array_new(corners, sizeof *g->around, "cells of nodes", error);
  g->seen = array_new(g->node_count, sizeof *g->seen, "nodes", error);
  if (!g->start || !g->around || !g->seen) return false;
  // start[a + 2] counts; filling then moves start[a + 1] on to the end of node a's cells
  for (int64_t c = 0; c < corners && !interrupt_signal(); c++) g->start[g->cell[c] + 2]++;
  for (int a = 0; a < g->node_count; a++) g->start[a + 2] += g->start[a + 1];
  for (int64_t c = 0; c < corners && !interrupt_signal(); c++)
    g->around[g->start[g->cell[c] + 1]++] = (int)(c / g->cell_nodes);
  return interrupt_check(error);
}

static void around_destroy(Around *g) {
  free(g->start);
  free(g->around);
  free(g->seen);
}

// Visits every neighbour a of b once, b itself included: counts them in entries[a], or appends b to a's list.
static void visit(Around *g, int b, int mark, int64_t *entries, int *neighbour) {
  g->seen[b] = mark;
  if (neighbour) neighbour[entries[b]] = b;
  entries[b]++;
  for (int64_t s = g->start[b]; s < g->start[b + 1]; s++)
    for (int c = 0; c < g->cell_nodes; c++) {
      const int a = g->cell[(int64_t)g->around[s] * g->cell_nodes + c];
      if (g->seen[a] == mark) continue;
      g->seen[a] = mark;
      if (neighbour) neighbour[entries[a]] = b;
      entries[a]++;
    }
}

bool adjacency_create_cells(Adjacency *adjacency, int node_count, int cell_count, int cell_nodes, const int *cell,
                            Error *error) {
  bool ok = false;
  Adjacency made = { .node_count = node_count };
  Around around = { .node_count = node_count, .cell_count = cell_count, .cell_nodes = cell_nodes, .cell = cell };
  // first counts, then where to append
  int64_t *entries = array_new(node_count, sizeof *entries, "neighbour counts", error);
  if (!entries || !around_create(&around, error)) goto done;
  made.start = array_new((int64_t)node_count + 1, sizeof *made.start, "starts of neighbours", error);
  if (!made.start) goto done;

  for (int b = 0; b < node_count && !interrupt_signal(); b++) visit(&around, b, b + 1, entries, NULL);
  if (!interrupt_check(error)) goto done;
  for (int a = 0; a < node_count; a++) {
    made.start[a + 1] = made.start[a] + entries[a];
    entries[a] = made.start[a];
  }
  made.neighbour = array_new(made.start[node_count], sizeof *made.neighbour, "neighbours", error);
  if (!made.neighbour) goto done;
  for (int b = 0; b < node_count && !interrupt_signal(); b++) visit(&around, b, -b - 1, entries, made.neighbour);
  if (!interrupt_check(error)) goto done;
  *adjacency = made, made = (Adjacency){ 0 };  // handed over
  ok = true;
done:
  adjacency_destroy(&made);
  around_destroy(&around);
  free(entries);
  return ok;
}

bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error) {
  return adjacency_create_cells(adjacency, mesh->node_count, mesh->tet_count, 4, (const int *)mesh->tet, error);
}

int64_t adjacency_find(const Adjacency *adjacency, int a, int b) {
  int64_t low = adjacency->start[a], high = adjacency->start[a + 1] - 1;
  while (low <= high) {
    const int64_t middle = low + (high - low) / 2;
    if (adjacency->neighbour[middle] == b) return middle;
    if (adjacency->neighbour[middle] < b)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

void adjacency_destroy(Adjacency *adjacency) {
  free(adjacency->start);
  free(adjacency->neighbour);
  *adjacency = (Adjacency){ 0 };
}
