// Builds the graph of nodes that belong to a common cell: see adjacency.h. A first parallel pass counts the neighbours
// of each node, a second pass lists them. The cells of a node have nodes in common, so a small hash table removes
// duplicates. The work is linear in the total number of nodes of all cells.
#include "mesh/adjacency.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "mesh/quadratic.h"

// TABLE_NODES limits the hash table on the stack. Nodes whose cells have at most TABLE_NODES nodes in total, duplicates
// counted, are processed in parallel by find_neighbours; visit_large_nodes processes the others one by one. CHUNK:
// number of nodes per parallel task.
enum { TABLE_NODES = 1024, CHUNK = 512 };

// Input of the two passes over all nodes that build the graph, and the graph itself. Two nodes are neighbours if they
// belong to a common cell.
typedef struct Around {
  int node_count, cell_nodes;
  const int *cell;  // [cell_count][cell_nodes], mesh nodes of each cell
  int64_t *start;   // [node_count + 1]: the cells of node a are around[start[a]] to around[start[a + 1] - 1]
  int *around;      // [cell_nodes * cell_count], for each node in turn, the cells to which it belongs
  // The result. The first pass stores the number of neighbours of node a in made->start[a + 1]. Then made->neighbour is
  // allocated, and the second pass fills it.
  Adjacency *made;
} Around;

static void sort_ascending(int *item, int count) {
  for (int k = 1; k < count; k++) {
    const int moved = item[k];
    int at = k;
    for (; at > 0 && item[at - 1] > moved; at--) item[at] = item[at - 1];
    item[at] = moved;
  }
}

// Returns the total number of nodes of all cells at node a, duplicates counted.
static int64_t nodes_around(const Around *g, int a) {
  return (g->start[a + 1] - g->start[a]) * g->cell_nodes;
}

// Lists in `found` the neighbours of node a, each once and including a, in no particular order. Returns their number.
static int find_neighbours(const Around *g, int a, int *found) {
  int table[2 * TABLE_NODES], bits = 4, count = 0;
  while (1 << bits < 2 * nodes_around(g, a)) bits++;
  memset(table, 0, sizeof *table << bits);
  for (int64_t s = g->start[a]; s < g->start[a + 1]; s++)
    for (int c = 0; c < g->cell_nodes; c++) {
      const int b = g->cell[(int64_t)g->around[s] * g->cell_nodes + c];
      uint32_t at = (uint32_t)b * 2654435769u >> (32 - bits);
      while (table[at] && table[at] != b + 1) at = (at + 1) & ((1u << bits) - 1);
      if (table[at]) continue;
      table[at] = b + 1;
      found[count++] = b;
    }
  if (count == 0) found[count++] = a;
  return count;
}

static void visit_nodes(const void *around, int first, int last) {
  const Around *g = around;
  int found[TABLE_NODES];
  for (int a = first; a < last && !interrupt_requested(); a++) {
    if (nodes_around(g, a) > TABLE_NODES) continue;
    const int count = find_neighbours(g, a, found);
    if (!g->made->neighbour) {
      g->made->start[a + 1] = count;
      continue;
    }
    sort_ascending(found, count);
    memcpy(g->made->neighbour + g->made->start[a], found, sizeof *found * (size_t)count);
  }
}

static int ascending(const void *left, const void *right) {
  const int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

// Processes the nodes whose cells have more than TABLE_NODES nodes in total: counts their neighbours in the first pass,
// lists them in the second. seen[b] = a + 1 means that b was already found as a neighbour of a.
static bool visit_large_nodes(const Around *g, Error *error) {
  int *seen = NULL;
  bool ok = true;
  for (int a = 0; ok && a < g->node_count; a++) {
    if (nodes_around(g, a) <= TABLE_NODES) continue;
    if (!seen) seen = array_new(g->node_count, sizeof *seen, "nodes", error);
    ok = seen && interrupt_check(error);
    int64_t count = 0;
    for (int64_t s = g->start[a]; ok && s < g->start[a + 1]; s++)
      for (int c = 0; c < g->cell_nodes; c++) {
        const int b = g->cell[(int64_t)g->around[s] * g->cell_nodes + c];
        if (seen[b] == a + 1) continue;
        seen[b] = a + 1;
        if (g->made->neighbour) g->made->neighbour[g->made->start[a] + count] = b;
        count++;
      }
    if (!ok || !g->made->neighbour)
      g->made->start[a + 1] = count;
    else
      qsort(g->made->neighbour + g->made->start[a], (size_t)count, sizeof(int), ascending);
  }
  free(seen);
  return ok;
}

bool adjacency_create_cells(Adjacency *adjacency, int node_count, int cell_count, int cell_nodes, const int *cell,
                            Error *error) {
  const int64_t corners = (int64_t)cell_nodes * cell_count;
  Adjacency made = { .node_count = node_count };
  Around around = { .node_count = node_count, .cell_nodes = cell_nodes, .cell = cell, .made = &made };
  around.start = array_new((int64_t)node_count + 1, sizeof *around.start, "cells of nodes", error);
  around.around = array_new(corners, sizeof *around.around, "cells of nodes", error);
  made.start = array_new((int64_t)node_count + 1, sizeof *made.start, "starts of neighbours", error);
  bool ok = around.start && around.around && made.start &&
            sort_by_key(cell, corners, node_count, cell_nodes, around.start, around.around, error);
  for (int pass = 0; ok && pass < 2; pass++) {
    parallel_for(node_count, CHUNK, visit_nodes, &around);
    ok = visit_large_nodes(&around, error) && interrupt_check(error);
    if (!ok || pass == 1) break;
    for (int a = 0; a < node_count; a++) made.start[a + 1] += made.start[a];
    made.neighbour = array_new(made.start[node_count], sizeof *made.neighbour, "neighbours", error);
    ok = made.neighbour;
  }

  free(around.start);
  free(around.around);
  if (ok)
    *adjacency = made;
  else
    adjacency_destroy(&made);
  return ok;
}

bool adjacency_create(Adjacency *adjacency, const TetMesh *mesh, Error *error) {
  const bool raised = mesh_degree(mesh) > 1;
  int *all = raised ? mesh_cells(mesh, error) : NULL;
  const int *cell = all ? all : mesh->hex ? (const int *)mesh->hex : (const int *)mesh->tet;
  const bool ok = (all || !raised) && adjacency_create_cells(adjacency, mesh->node_count, mesh->tet_count,
                                                             mesh_cell_nodes(mesh), cell, error);
  free(all);
  return ok;
}

int64_t adjacency_find(const Adjacency *adjacency, int a, int b) {
  enum { SHORT = 32 };
  int64_t low = adjacency->start[a], high = adjacency->start[a + 1] - 1;
  if (high - low < SHORT) {  // short list: counting the smaller neighbours is faster, since it needs no branches
    int before = 0;
    for (int64_t s = low; s <= high; s++) before += adjacency->neighbour[s] < b;
    return low + before <= high && adjacency->neighbour[low + before] == b ? low + before : -1;
  }
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
