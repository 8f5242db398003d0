// Finds the connected pieces of a mesh (pieces.h), by union-find over the nodes of each cell. The root of a piece is
// its smallest node. parent[a] is a node nearer to the root of node a's piece; the parent of a root is the root.
#include "sim/element/pieces.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/union_find.h"

int space_pieces(const Space *space, int *piece, Error *error) {
  int *parent = array_new(space->node_count, sizeof *parent, "pieces", error), count = 0;
  if (!parent) return -1;
  for (int a = 0; a < space->node_count; a++) parent[a] = a;
  for (int e = 0; e < space->cell_count; e++)
    for (int k = 1; k < space->cell_nodes; k++) union_join(parent, space_cell(space, e)[0], space_cell(space, e)[k]);

  for (int a = 0; a < space->node_count; a++) {
    const int r = union_root(parent, a);
    piece[a] = r == a ? count++ : piece[r];
  }
  free(parent);
  return count;
}
