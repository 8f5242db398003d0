// Dividing a graph: see divide.h.
#include "mesh/divide.h"

#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS with 32-bit indices");

bool adjacency_divide(const Adjacency *adjacency, int part_count, int *part, Error *error) {
  const int nodes = adjacency->node_count;
  if (part_count < 2 || part_count >= nodes) {
    for (int a = 0; a < nodes; a++) part[a] = part_count < 2 ? 0 : a;
    return true;
  }
  idx_t count = nodes, constraints = 1, parts = part_count, cut, options[METIS_NOPTIONS];
  idx_t *start = array_new((int64_t)nodes + 1, sizeof *start, "graph", error);
  idx_t *neighbour = array_new(adjacency->start[nodes], sizeof *neighbour, "graph", error);
  bool ok = start && neighbour;
  for (int a = 0; ok && a < nodes; a++) {  // METIS wants the graph without loops
    start[a + 1] = start[a];
    for (int s = adjacency->start[a]; s < adjacency->start[a + 1]; s++)
      if (adjacency->neighbour[s] != a) neighbour[start[a + 1]++] = adjacency->neighbour[s];
  }
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  if (ok && METIS_PartGraphKway(&count, &constraints, start, neighbour, NULL, NULL, NULL, &parts, NULL, NULL, options,
                                &cut, part) != METIS_OK)
    ok = error_set(error, "METIS could not divide %d nodes into %d parts", nodes, part_count);
  free(start);
  free(neighbour);
  return ok;
}
