// Extracts a part of a mesh: see extract.h.
#include "mesh/extract.h"

#include <string.h>

#include "base/array.h"
#include "base/gather.h"

// Creates an array with copies of the elements of `from` whose indices are list[0] to list[count - 1]. An element has
// `item` bytes. `to` points to the pointer to the new array, which is NULL if `from` is NULL.
static bool gather_new(void *to, const void *from, const int *list, int count, size_t item, Error *error) {
  char *made = from ? array_capacity(count, item, "a part of the mesh", error) : NULL;
  if (made) gather_items(made, from, list, count, item);
  memcpy(to, &made, sizeof made);
  return made || !from;
}

bool mesh_extract(const TetMesh *m, const MeshPart *part, const int *local, TetMesh *made, Error *error) {
  const int nodes = part->node_count, cells = part->cell_count, *node = part->node, *cell = part->cell;
  *made = (TetMesh){ .node_count = nodes, .tet_count = cells };
  const bool ok = gather_new(&made->X, m->X, node, nodes, sizeof *m->X, error) &&
                  gather_new(&made->node_tag, m->node_tag, node, nodes, sizeof *m->node_tag, error) &&
                  gather_new(&made->damping, m->damping, node, nodes, sizeof *m->damping, error) &&
                  gather_new(&made->body, m->body, node, nodes, sizeof *m->body, error) &&
                  gather_new(&made->tet, m->tet, cell, cells, sizeof *m->tet, error) &&
                  gather_new(&made->middle, m->middle, cell, cells, sizeof *m->middle, error) &&
                  gather_new(&made->outer, m->outer, cell, cells, sizeof *m->outer, error) &&
                  gather_new(&made->hex, m->hex, cell, cells, sizeof *m->hex, error) &&
                  gather_new(&made->stiffness, m->stiffness, cell, cells, sizeof *m->stiffness, error) &&
                  gather_new(&made->ratio, m->ratio, cell, cells, sizeof *m->ratio, error) &&
                  gather_new(&made->density, m->density, cell, cells, sizeof *m->density, error);
  for (int e = 0; ok && e < cells; e++)
    for (int a = 0; a < mesh_cell_nodes(m); a++) {
      int *entry = mesh_cell_entry(made, e, a);
      *entry = local[*entry];
    }
  if (!ok) mesh_destroy(made);
  return ok;
}
