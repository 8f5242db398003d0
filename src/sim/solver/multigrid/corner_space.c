// Builds a space of linear tets, whose nodes are the corners of a quadratic mesh, for multigrid (corner_space.h).
#include "sim/solver/multigrid/corner_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { CORNERS = 4, CHUNK = 256 };

// Numbers the corners, in the order of their node numbers, and builds c->space, the space of linear tets.
static bool make_space(CornerSpace *c, const Space *whole, Error *error) {
  TetMesh mesh = { 0 };
  int *number = array_new(whole->node_count, sizeof *number, "nodes", error), count = 0;
  bool ok = number;

  for (int e = 0; ok && e < whole->cell_count; e++)
    for (int k = 0; k < CORNERS; k++) number[space_cell(whole, e)[k]] = 1;
  for (int a = 0; ok && a < whole->node_count; a++) number[a] = number[a] ? count++ : -1;

  ok = ok && mesh_allocate(&mesh, count, whole->cell_count, error) &&
       (c->node = array_new(count, sizeof *c->node, "nodes", error)) &&
       (c->parent = array_new(whole->node_count, sizeof *c->parent, "nodes", error));

  // Set the positions of the corners. Both parents of a node that is a corner are this corner.
  for (int a = 0; ok && a < whole->node_count; a++) {
    if (number[a] < 0) continue;
    memcpy(mesh.X[number[a]], whole->X[a], sizeof mesh.X[0]);
    c->node[number[a]] = a;
    c->parent[a][0] = c->parent[a][1] = number[a];
  }

  // Build the cells. The parents of the node at the middle of an edge are the ends of the edge.
  for (int e = 0; ok && e < whole->cell_count; e++) {
    const int *node = space_cell(whole, e);
    for (int k = 0; k < CORNERS; k++) mesh.tet[e][k] = number[node[k]];
    for (int m = 0; m < whole->cell_nodes - CORNERS; m++)
      for (int end = 0; end < 2; end++) c->parent[node[CORNERS + m]][end] = number[node[tet_edge_corners[m][end]]];
  }

  free(number);
  if (ok) return space_take(&c->space, &mesh, whole->node_dof, error);
  mesh_destroy(&mesh);
  return false;
}

static bool list_children(CornerSpace *c, const Space *whole, Error *error) {
  const int corners = c->space.node_count;

  // The final `start` has corners + 1 elements. The loops write one more, because they count in next = c->start + 1.
  c->start = array_new(corners + 2, sizeof *c->start, "nodes", error);
  if (!c->start) return false;
  int *next = c->start + 1;
  for (int a = 0; a < whole->node_count; a++)
    for (int end = 0; end < (corner_weight(c, a) < 1 ? 2 : 1); end++) next[c->parent[a][end] + 1]++;
  for (int p = 0; p < corners; p++) next[p + 1] += next[p];
  c->child = array_new(next[corners], sizeof *c->child, "nodes", error);
  if (!c->child) return false;
  for (int a = 0; a < whole->node_count; a++)
    for (int end = 0; end < (corner_weight(c, a) < 1 ? 2 : 1); end++) c->child[next[c->parent[a][end]]++] = a;
  return true;
}

typedef struct Task {
  CornerSpace *corners;
  const Space *whole;
} Task;

static void find_targets(const void *task, int first, int last) {
  const CornerSpace *c = ((const Task *)task)->corners;
  const Adjacency *graph = &((const Task *)task)->whole->graph, *coarse = &c->space.graph;
  for (int p = first; p < last && !interrupt_requested(); p++) {
    uint16_t *target = c->target + c->target_start[p];
    for (int k = c->start[p]; k < c->start[p + 1]; k++)
      for (int64_t pair = graph->start[c->child[k]]; pair < graph->start[c->child[k] + 1]; pair++)
        for (int end = 0; end < 2; end++)
          *target++ = (uint16_t)(adjacency_find(coarse, p, c->parent[graph->neighbour[pair]][end]) - coarse->start[p]);
  }
}

static bool list_targets(CornerSpace *c, const Space *whole, Error *error) {
  const int corners = c->space.node_count;
  c->target_start = array_new(corners + 1, sizeof *c->target_start, "nodes", error);
  if (!c->target_start) return false;
  for (int p = 0; p < corners; p++) {
    if (c->space.graph.start[p + 1] - c->space.graph.start[p] > UINT16_MAX)
      return error_set(error, "solver pmg: a node has more than %d neighbours; choose another --solver, such as dcg",
                       UINT16_MAX);
    c->target_start[p + 1] = c->target_start[p];
    for (int k = c->start[p]; k < c->start[p + 1]; k++)
      c->target_start[p + 1] += 2 * (whole->graph.start[c->child[k] + 1] - whole->graph.start[c->child[k]]);
  }
  c->target = array_new(c->target_start[corners], sizeof *c->target, "pairs of nodes", error);
  if (!c->target) return false;
  parallel_for(corners, CHUNK, find_targets, &(Task){ c, whole });
  return interrupt_check(error);
}

bool corner_space_create(CornerSpace *c, const Space *whole, bool targets, Error *error) {
  *c = (CornerSpace){ 0 };
  if (make_space(c, whole, error) && list_children(c, whole, error) && (!targets || list_targets(c, whole, error)))
    return true;
  corner_space_destroy(c);
  return false;
}

void corner_space_destroy(CornerSpace *c) {
  space_destroy(&c->space);
  free(c->node);
  free(c->parent);
  free(c->start);
  free(c->child);
  free(c->target_start);
  free(c->target);
  *c = (CornerSpace){ 0 };
}
