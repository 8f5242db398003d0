// Connected pieces of a body by union-find: see pieces.h.
#include "sim/element/pieces.h"

#include <stdlib.h>

#include "base/array.h"

// Returns the root of a node in a union-find forest; halves paths.
static int root(int *parent, int a) {
  while (parent[a] != a) a = parent[a] = parent[parent[a]];
  return a;
}

int space_pieces(const Space *space, int *piece, Error *error) {
  int *parent = array_new(space->node_count, sizeof *parent, "pieces", error), count = 0;
  if (!parent) return -1;
  for (int a = 0; a < space->node_count; a++) parent[a] = a;
  for (int e = 0; e < space->cell_count; e++)
    for (int k = 1; k < space->cell_nodes; k++) {
      const int a = root(parent, space_cell(space, e)[0]), b = root(parent, space_cell(space, e)[k]);
      parent[a > b ? a : b] = a > b ? b : a;  // the smallest node represents its piece
    }

  for (int a = 0; a < space->node_count; a++) {
    const int r = root(parent, a);
    piece[a] = r == a ? count++ : piece[r];
  }
  free(parent);
  return count;
}
