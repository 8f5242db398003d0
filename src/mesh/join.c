// Joins meshes: see join.h.
#include "mesh/join.h"

#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "mesh/mesh_sets.h"

static void append_ints(int *both, const int *first, const int *more, int64_t count, int64_t more_count, int nodes) {
  memcpy(both, first, sizeof *both * (size_t)count);
  for (int64_t k = 0; k < more_count; k++) both[count + k] = more[k] + nodes;
}

bool mesh_join(TetMesh *mesh, TetMesh *more, Error *error) {
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  if (tets == 0) {
    *mesh = *more;
    *more = (TetMesh){ 0 };
    return true;
  }

  if (mesh_shape(mesh) != mesh_shape(more))
    return error_set(error, "one body has %s and another has %s; all bodies need cells of one shape",
                     mesh_cell_word(mesh), mesh_cell_word(more));
  if ((int64_t)nodes + more->node_count > MESH_MAX_NODES ||
      (int64_t)tets + more->tet_count > (mesh->hex ? MESH_MAX_HEXES : MESH_MAX_TETS))
    return error_set(error, "the bodies have too many nodes or cells in total; use coarser meshes");
  TetMesh both = { .node_count = nodes + more->node_count, .tet_count = tets + more->tet_count };
  both.X = array_new(both.node_count, sizeof *both.X, "nodes", error);
  both.node_tag = array_new(both.node_count, sizeof *both.node_tag, "nodes", error);
  if (mesh->hex)
    both.hex = array_new(both.tet_count, sizeof *both.hex, "hexes", error);
  else
    both.tet = array_new(both.tet_count, sizeof *both.tet, "tets", error);
  if (mesh->middle) both.middle = array_new(both.tet_count, sizeof *both.middle, "tets", error);
  if (mesh->outer) both.outer = array_new(both.tet_count, sizeof *both.outer, "tets", error);
  const bool ok = both.X && both.node_tag && (both.tet || both.hex) && (both.middle || !mesh->middle) &&
                  (both.outer || !mesh->outer) && mesh_sets_join(mesh, more, &both.sets, error);
  for (int a = 0; ok && a < both.node_count; a++) {
    memcpy(both.X[a], a < nodes ? mesh->X[a] : more->X[a - nodes], sizeof *both.X);
    both.node_tag[a] = a + 1;
  }
  if (ok && both.hex)
    append_ints(both.hex[0], mesh->hex[0], more->hex[0], 8 * (int64_t)tets, 8 * (int64_t)more->tet_count, nodes);
  if (ok && both.tet)
    append_ints(both.tet[0], mesh->tet[0], more->tet[0], 4 * (int64_t)tets, 4 * (int64_t)more->tet_count, nodes);
  if (ok && both.middle)
    append_ints(both.middle[0], mesh->middle[0], more->middle[0], 6 * (int64_t)tets, 6 * (int64_t)more->tet_count,
                nodes);
  if (ok && both.outer)
    append_ints(both.outer[0], mesh->outer[0], more->outer[0], 16 * (int64_t)tets, 16 * (int64_t)more->tet_count,
                nodes);
  if (!ok || !interrupt_check(error)) {
    mesh_destroy(&both);
    return false;
  }
  mesh_destroy(mesh);
  *mesh = both;
  return true;
}
