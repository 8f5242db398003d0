// Writes the piece of a VTU frame that belongs to this process: see vtu_piece.h.
#include "scene/vtu_piece.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/gather.h"

static const char purpose[] = "the piece of a frame";

// Lists the items with a mark, ascending. mark [count]; list: memory for the result. Returns the number of these items.
static int list_marked(const uint8_t *mark, int count, int *list) {
  int marked = 0;
  for (int k = 0; k < count; k++)
    if (mark[k]) list[marked++] = k;
  return marked;
}

// Lists the nodes and cells of the piece. Creates its mesh, and marks the cells near it. is_own [cells] and is_node
// [nodes]: temporary marks of the cells and nodes of the piece, all 0. local [nodes]: temporary numbers of nodes.
static bool fill(VtuPiece *piece, const Session *session, uint8_t *is_own, uint8_t *is_node, int *local, Error *error) {
  const TetMesh *mesh = &session->mesh;
  const int width = mesh_cell_nodes(mesh);
  MeshPart *part = &piece->part;
  int count;
  const int *own = simulation_own_cells(session->simulation, &count);
  for (int k = 0; k < count; k++) is_own[own[k]] = 1;
  part->cell_count = list_marked(is_own, mesh->tet_count, part->cell);

  for (int k = 0; k < part->cell_count; k++)
    for (int a = 0; a < width; a++) is_node[mesh_cell_node(mesh, part->cell[k], a)] = 1;
  part->node_count = list_marked(is_node, mesh->node_count, part->node);
  for (int k = 0; k < part->node_count; k++) local[part->node[k]] = k;

  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < width && !piece->is_near[e]; a++) piece->is_near[e] = is_node[mesh_cell_node(mesh, e, a)];
  return mesh_extract(mesh, part, local, &piece->mesh, error);
}

bool vtu_piece_create(VtuPiece *piece, const Session *session, Error *error) {
  const int nodes = session->mesh.node_count, cells = session->mesh.tet_count;
  *piece = (VtuPiece){ .is_near = array_new(cells, 1, purpose, error) };
  piece->part.node = array_new(nodes, sizeof *piece->part.node, purpose, error);
  piece->part.cell = array_new(cells, sizeof *piece->part.cell, purpose, error);
  uint8_t *is_own = array_new(cells, 1, purpose, error), *is_node = array_new(nodes, 1, purpose, error);
  int *local = array_new(nodes, sizeof *local, purpose, error);
  const bool ok = piece->is_near && piece->part.node && piece->part.cell && is_own && is_node && local &&
                  fill(piece, session, is_own, is_node, local, error);
  free(is_own);
  free(is_node);
  free(local);
  return ok;
}

void vtu_piece_destroy(VtuPiece *piece) {
  free(piece->part.node);
  free(piece->part.cell);
  free(piece->is_near);
  mesh_destroy(&piece->mesh);
  *piece = (VtuPiece){ 0 };
}

bool vtu_piece_write(const VtuPiece *piece, const char *path, const double (*positions)[3], const VtuField *fields,
                     int count, Error *error) {
  const MeshPart *part = &piece->part;
  const MeshWriting how = { MESH_ZLIB, false, 0 };
  VtuField here[VTU_FIELDS_MAX];
  double *values[VTU_FIELDS_MAX] = { 0 };
  AtomicFile output = { 0 };
  double(*x)[3] = NULL;
  bool ok = gather_new(&x, positions, part->node, part->node_count, sizeof *x, purpose, error);
  for (int k = 0; ok && k < count; k++) {
    const VtuField *f = here + k;
    here[k] = fields[k];
    if (f->rows > 0) continue;
    ok = gather_new(&values[k], f->values, f->on_tets ? part->cell : part->node,
                    f->on_tets ? part->cell_count : part->node_count, sizeof(double) * (size_t)f->components, purpose,
                    error);
    here[k].values = values[k];
  }

  ok = ok && atomic_file_open_always(&output, path, error) &&
       vtu_write_fields(output.stream, &piece->mesh, (const double(*)[3])x, here, count, &how, error) &&
       atomic_file_commit_unsynced(&output, error);
  atomic_file_close(&output);
  for (int k = 0; k < count; k++) free(values[k]);
  free(x);
  return ok;
}
