// Colours the nodes of a space, so that Gauss-Seidel sweeps can run in parallel (node_colours.h).
#include "sim/element/node_colours.h"

#include <stdlib.h>

#include "base/array.h"

// Sets the colour of each node, in the order of the node numbers, and returns the number of colours. taken_by
// [node_count + 1] is work memory: colour c is not free for node a if taken_by[c] is a.
static int colour_nodes(const Space *space, int *colour, int *taken_by) {
  const Adjacency *graph = &space->graph;
  int count = 0;
  for (int c = 0; c <= space->node_count; c++) taken_by[c] = -1;
  for (int a = 0; a < space->node_count; a++) {
    for (int64_t k = graph->start[a]; k < graph->start[a + 1]; k++)
      if (graph->neighbour[k] < a) taken_by[colour[graph->neighbour[k]]] = a;
    int c = 0;
    while (taken_by[c] == a) c++;
    colour[a] = c;
    if (c >= count) count = c + 1;
  }
  return count;
}

bool node_colours_create(NodeColours *colours, const Space *space, Error *error) {
  const int nodes = space->node_count;
  *colours = (NodeColours){ .node = array_new(nodes, sizeof *colours->node, "colours", error) };
  int *colour = array_new(nodes, sizeof *colour, "colours", error);
  int *taken_by = array_new((int64_t)nodes + 1, sizeof *taken_by, "colours", error);
  if (colours->node && colour && taken_by) {
    colours->count = colour_nodes(space, colour, taken_by);
    colours->start = array_new((int64_t)colours->count + 1, sizeof *colours->start, "colours", error);
  }

  // Count the nodes of each colour, then list them.
  if (colours->start) {
    for (int a = 0; a < nodes; a++) colours->start[colour[a] + 1]++;
    for (int c = 0; c < colours->count; c++) {
      colours->start[c + 1] += colours->start[c];
      taken_by[c] = colours->start[c];
    }
    for (int a = 0; a < nodes; a++) colours->node[taken_by[colour[a]]++] = a;
  }

  free(colour);
  free(taken_by);
  if (colours->start) return true;
  node_colours_destroy(colours);
  return false;
}

bool node_colours_each(NodeColours *colours, const Space *space, Error *error) {
  const int nodes = space->node_count;
  *colours = (NodeColours){ .count = nodes,
                            .start = array_new((int64_t)nodes + 1, sizeof *colours->start, "colours", error),
                            .node = array_new(nodes, sizeof *colours->node, "colours", error) };
  if (!colours->start || !colours->node) {
    node_colours_destroy(colours);
    return false;
  }
  for (int a = 0; a < nodes; a++) {
    colours->start[a + 1] = a + 1;
    colours->node[a] = a;
  }
  return true;
}

void node_colours_destroy(NodeColours *colours) {
  free(colours->start);
  free(colours->node);
  *colours = (NodeColours){ 0 };
}
