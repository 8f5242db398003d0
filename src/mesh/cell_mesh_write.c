// Writes meshes of cells to files: see cell_mesh.h.
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/path.h"
#include "mesh/cell_mesh.h"
#include "mesh/format/vtu.h"
#include "mesh/mesh_write.h"

// Returns a TetMesh with the arrays of `mesh`, which must have linear tets. The arrays are not copied, so the result
// must not be destroyed.
static TetMesh tets_of(const CellMesh *mesh) {
  return (TetMesh){ .node_count = mesh->node_count,
                    .tet_count = mesh->cell_count,
                    .X = mesh->X,
                    .tet = (int(*)[4])mesh->cell,
                    .node_tag = mesh->node_tag };
}

bool cell_mesh_write_check(const char *path, CellShape shape, bool fields, Error *error) {
  if (shape == CELL_TET4 && !fields) return mesh_write_check(path, error);
  if (!path_ends_with(path, ".vtu") && (fields || !path_ends_with(path, ".msh")))
    return error_set(error, "%s: cells of shape %s%s can be written only as %s.vtu (VTK XML)", path,
                     cell_shape_info(shape)->name, fields ? " with fields" : "", fields ? "" : ".msh (Gmsh) or ");
  return atomic_file_check(path, error);
}

// Writes a mesh in the format MSH 2.2 (Gmsh) as text.
static bool write_msh(FILE *file, const CellMesh *mesh, Error *error) {
  const CellShapeInfo *kind = cell_shape_info(mesh->shape);
  const int64_t shift = mesh_tag_shift(mesh->node_tag, mesh->node_count);
  int order[CELL_NODES_MAX];
  cell_shape_file_order(mesh->shape, CELL_FILE_GMSH, order);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", mesh->node_count);
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++)
    fprintf(file, "%lld %.17g %.17g %.17g\n", (long long)(mesh->node_tag[a] + shift), mesh->X[a][0], mesh->X[a][1],
            mesh->X[a][2]);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", mesh->cell_count);
  for (int e = 0; e < mesh->cell_count && !interrupt_requested(); e++) {
    fprintf(file, "%d %d 2 1 1", e + 1, kind->gmsh);
    for (int a = 0; a < kind->nodes; a++)
      fprintf(file, " %lld", (long long)(mesh->node_tag[mesh->cell[(int64_t)e * kind->nodes + order[a]]] + shift));
    fputc('\n', file);
  }
  fprintf(file, "$EndElements\n");
  return interrupt_check(error);
}

bool cell_mesh_write(const char *path, const CellMesh *mesh, const CellField *fields, int field_count, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  if (!cell_mesh_write_check(path, mesh->shape, field_count > 0, error)) return false;
  if (mesh->shape == CELL_TET4 && field_count == 0) {
    const TetMesh tets = tets_of(mesh);
    return mesh_write(path, &tets, NULL, error);
  }
  AtomicFile output = { 0 };
  const bool ok = atomic_file_open(&output, path, error) &&
                  (path_ends_with(path, ".msh") ? write_msh(output.stream, mesh, error)
                                                : vtu_write_cells(output.stream, mesh, fields, field_count, error)) &&
                  atomic_file_commit(&output, error);
  atomic_file_close(&output);
  return ok;
}
