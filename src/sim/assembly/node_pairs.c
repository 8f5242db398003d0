// Nodes and pairs of nodes: see node_pairs.h.
#include "sim/assembly/node_pairs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

enum { NODE_CHUNK = 1024 };

// The list that cell e's local nodes a and b belong to, or -1 where b is not the high node.
static int64_t pair_of(const NodePairs *pairs, const Space *space, const uint16_t *offset, int e, int a, int b) {
  const int nodes = space->cell_nodes, low = space_cell(space, e)[a], high = space_cell(space, e)[b];
  const uint16_t *of_low = offset + ((int64_t)e * nodes + a) * nodes;
  return high > low ? pairs->start[low] + (of_low[b] - of_low[a]) - 1 : -1;
}

static bool list_node_sources(NodePairs *pairs, const Space *space, Error *error) {
  const int nodes = space->node_count, corners = space->cell_nodes;
  pairs->node_start = array_new((int64_t)nodes + 2, sizeof *pairs->node_start, "nodes", error);
  pairs->node_source = array_new((int64_t)corners * space->cell_count, sizeof *pairs->node_source, "nodes", error);
  if (!pairs->node_start || !pairs->node_source) return false;
  // node_start[a + 2] counts; then node_start[a + 1] is where node a's next source goes, and in the end where they end
  for (int e = 0; e < space->cell_count && !interrupt_signal(); e++)
    for (int a = 0; a < corners; a++) pairs->node_start[space_cell(space, e)[a] + 2]++;
  for (int a = 0; a < nodes; a++) pairs->node_start[a + 2] += pairs->node_start[a + 1];
  for (int e = 0; e < space->cell_count && !interrupt_signal(); e++)
    for (int a = 0; a < corners; a++)
      pairs->node_source[pairs->node_start[space_cell(space, e)[a] + 1]++] = node_source(corners, e, a);
  return interrupt_check(error);
}

// counts, then fills: the cells of each pair
static bool list_pair_sources(NodePairs *pairs, const Space *space, const uint16_t *offset, Error *error) {
  const int count = pairs->start[pairs->node_count], corners = space->cell_nodes;
  pairs->tet_start = array_new((int64_t)count + 1, sizeof *pairs->tet_start, "node pairs", error);
  int64_t *fill = array_new(count, sizeof *fill, "node pairs", error);
  if (!pairs->tet_start || !fill) goto done;
  for (int e = 0; e < space->cell_count && !interrupt_signal(); e++)
    for (int a = 0; a < corners; a++)
      for (int b = 0; b < corners; b++) {
        const int64_t pair = pair_of(pairs, space, offset, e, a, b);
        if (pair >= 0) pairs->tet_start[pair + 1]++;
      }
  if (!interrupt_check(error)) goto done;
  for (int pair = 0; pair < count; pair++) {
    pairs->tet_start[pair + 1] += pairs->tet_start[pair];
    fill[pair] = pairs->tet_start[pair];
  }
  pairs->source = array_new(pairs->tet_start[count], sizeof *pairs->source, "node pairs", error);
  if (!pairs->source) goto done;
  for (int e = 0; e < space->cell_count && !interrupt_signal(); e++)
    for (int a = 0; a < corners; a++)
      for (int b = 0; b < corners; b++) {
        const int64_t pair = pair_of(pairs, space, offset, e, a, b);
        if (pair >= 0) pairs->source[fill[pair]++] = pair_source(corners, e, a, b);
      }
done:
  free(fill);
  return pairs->source;
}

typedef struct PlacesTask {
  const Operator *layout;
  NodePairs *pairs;
} PlacesTask;

static void find_places(const void *task, int first, int last) {
  const Operator *layout = ((const PlacesTask *)task)->layout;
  NodePairs *pairs = ((const PlacesTask *)task)->pairs;
  const Adjacency *graph = &layout->space->graph;
  for (int a = first; a < last && !interrupt_signal(); a++) {
    int64_t direct = adjacency_find(graph, a, a);
    pairs->node_place[a] = operator_place(layout, direct);
    for (int pair = pairs->start[a]; pair < pairs->start[a + 1]; pair++) {
      const int64_t transposed = adjacency_find(graph, graph->neighbour[++direct], a);
      pairs->place[pair][0] = operator_place(layout, direct);
      pairs->place[pair][1] = operator_place(layout, transposed);
    }
  }
}

bool node_pairs_create(NodePairs *pairs, const Space *space, const Operator *layout, Error *error) {
  const int nodes = space->node_count, corners = space->cell_nodes;
  const int64_t count = (space_pairs(space) - nodes) / 2;
  NodePairs made = { .node_count = nodes };
  bool ok = false;
  uint16_t *offset = assembly_offsets(space, error);
  made.start = array_new((int64_t)nodes + 1, sizeof *made.start, "node pairs", error);
  if (!offset || !made.start) goto done;
  if (space->cell_count > INT32_MAX / (corners * corners) || count > INT32_MAX) {
    error_set(error, "%d tets are too many, at most %d fit", space->cell_count, INT32_MAX / (corners * corners));
    goto done;
  }
  // a node's neighbours ascend, so those behind itself are its pairs
  for (int a = 0; a < nodes; a++)
    made.start[a + 1] = made.start[a] + (int)(space->graph.start[a + 1] - adjacency_find(&space->graph, a, a)) - 1;
  made.node_place = array_new(nodes, sizeof *made.node_place, "nodes", error);
  made.place = array_new(count, sizeof *made.place, "node pairs", error);
  if (!made.node_place || !made.place || !list_node_sources(&made, space, error) ||
      !list_pair_sources(&made, space, offset, error))
    goto done;
  parallel_for(nodes, NODE_CHUNK, find_places, &(PlacesTask){ layout, &made });
  ok = interrupt_check(error);
done:
  free(offset);
  if (ok)
    *pairs = made;
  else
    node_pairs_destroy(&made);
  return ok;
}

void node_pairs_destroy(NodePairs *pairs) {
  free(pairs->node_start);
  free(pairs->node_source);
  free(pairs->node_place);
  free(pairs->start);
  free(pairs->tet_start);
  free(pairs->source);
  free(pairs->place);
  *pairs = (NodePairs){ 0 };
}
