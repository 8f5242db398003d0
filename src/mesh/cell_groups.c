// Searches for nodes and facets in named parts of a mesh's boundary, and frees these parts: see cell_groups.h.
#include "mesh/cell_groups.h"

#include <stdlib.h>

#include "base/sort.h"

void cell_groups_destroy(CellGroup *groups, int count) {
  for (int g = 0; groups && g < count; g++) {
    free(groups[g].node);
    free(groups[g].facet);
  }
  free(groups);
}

int cell_facets_compare(const void *left, const void *right) {
  const int *a = left, *b = right;
  for (int c = 0; c < 4; c++)
    if (a[c] != b[c]) return a[c] < b[c] ? -1 : 1;
  return 0;
}

bool cell_group_has_node(const CellGroup *g, int node) {
  return g->node_count > 0 && bsearch(&node, g->node, (size_t)g->node_count, sizeof *g->node, compare_ints);
}

bool cell_group_has_facet(const CellGroup *g, const int corner[4]) {
  return g->facet_count > 0 && bsearch(corner, g->facet, (size_t)g->facet_count, sizeof *g->facet, cell_facets_compare);
}
