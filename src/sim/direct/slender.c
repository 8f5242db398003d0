// Decides if a body is so slender that a direct solver is faster than conjugate gradients (slender.h).
#include "sim/direct/slender.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

// Visits the nodes that are connected to node `first`, in the order of their distance from this node. The distance is
// the number of edges on the shortest path. Sets seen[] of visited nodes to `mark`. queue [nodes] gets the visited
// nodes, and *count their number. Returns the number of different distances.
static int visit(const Adjacency *graph, int first, int mark, int *seen, int *queue, int *count) {
  int levels = 0, begin = 0, end = 1;
  queue[0] = first;
  seen[first] = mark;
  while (begin < end) {
    const int level_end = end;
    levels++;
    for (; begin < level_end; begin++) {
      const int a = queue[begin];
      for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
        const int b = graph->neighbour[pair];
        if (seen[b] == mark) continue;
        seen[b] = mark;
        queue[end++] = b;
      }
    }
  }
  *count = end;
  return levels;
}

bool body_is_slender(const Space *space, double *slenderness) {
  enum { FIRST = 1, SECOND };
  const int nodes = space->node_count;
  Error ignored = { 0 };
  *slenderness = 0;
  if (nodes > SLENDER_NODES_MAX) return false;
  int *seen = array_new(nodes, sizeof *seen, "nodes", &ignored);
  int *queue = array_new(nodes, sizeof *queue, "nodes", &ignored);
  int levels = 0, pieces = 0, count;

  // Visit each connected piece twice. The first visit starts anywhere and ends at a node at one end of the piece. The
  // second visit counts the distances from this end.
  for (int a = 0; a < nodes && seen && queue; a++) {
    if (seen[a]) continue;
    pieces++;
    visit(&space->graph, a, FIRST, seen, queue, &count);
    levels += visit(&space->graph, queue[count - 1], SECOND, seen, queue, &count);
  }

  free(seen);
  free(queue);

  // A cube has 6 tets or 1 hexahedron. So the square root of the number of cubes per edge of the path is the number of
  // cubes across the body.
  const int edges = levels - pieces;
  const double cubes = (double)space->cell_count / (space->shape == CELL_HEX8 ? 1 : 6);
  if (edges > 0) *slenderness = (double)edges / pieces / sqrt(cubes / edges);
  return levels > 0 && nodes <= (int64_t)levels * SLENDER_WIDTH_MAX;
}
