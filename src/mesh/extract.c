// Extracts a part of a mesh: see extract.h.
#include "mesh/extract.h"

#include "base/gather.h"

static const char purpose[] = "a part of the mesh";

bool mesh_extract(const TetMesh *m, const MeshPart *part, const int *local, TetMesh *made, Error *error) {
  const int nodes = part->node_count, cells = part->cell_count, *node = part->node, *cell = part->cell;
  *made = (TetMesh){ .node_count = nodes, .tet_count = cells };
  bool ok = gather_new(&made->X, m->X, node, nodes, sizeof *m->X, purpose, error);
  ok = ok && gather_new(&made->node_tag, m->node_tag, node, nodes, sizeof *m->node_tag, purpose, error);
  ok = ok && gather_new(&made->damping, m->damping, node, nodes, sizeof *m->damping, purpose, error);
  ok = ok && gather_new(&made->body, m->body, node, nodes, sizeof *m->body, purpose, error);
  ok = ok && gather_new(&made->tet, m->tet, cell, cells, sizeof *m->tet, purpose, error);
  ok = ok && gather_new(&made->middle, m->middle, cell, cells, sizeof *m->middle, purpose, error);
  ok = ok && gather_new(&made->outer, m->outer, cell, cells, sizeof *m->outer, purpose, error);
  ok = ok && gather_new(&made->hex, m->hex, cell, cells, sizeof *m->hex, purpose, error);
  ok = ok && gather_new(&made->stiffness, m->stiffness, cell, cells, sizeof *m->stiffness, purpose, error);
  ok = ok && gather_new(&made->ratio, m->ratio, cell, cells, sizeof *m->ratio, purpose, error);
  ok = ok && gather_new(&made->density, m->density, cell, cells, sizeof *m->density, purpose, error);
  for (int e = 0; ok && e < cells; e++)
    for (int a = 0; a < mesh_cell_nodes(m); a++) {
      int *entry = mesh_cell_entry(made, e, a);
      *entry = local[*entry];
    }
  if (!ok) mesh_destroy(made);
  return ok;
}
