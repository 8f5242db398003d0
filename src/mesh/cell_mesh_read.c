// Reads meshes of cells from files: see cell_mesh.h.
#include "base/path.h"
#include "mesh/cell_mesh.h"
#include "mesh/format/msh.h"
#include "mesh/tet_mesh.h"

bool cell_mesh_read(const char *path, CellMesh *mesh, Error *error) {
  TetMesh tets = { 0 };
  if (path_ends_with(path, ".msh") || path_ends_with(path, ".msh.gz")) return msh_read_cells(path, mesh, error);
  if (!mesh_read(path, 1, &tets, error)) return false;
  *mesh = (CellMesh){ .shape = mesh_shape(&tets),
                      .node_count = tets.node_count,
                      .cell_count = tets.tet_count,
                      .X = tets.X,
                      .cell = tets.hex ? (int *)tets.hex : (int *)tets.tet,
                      .node_tag = tets.node_tag };
  tets.X = NULL;
  tets.tet = NULL;
  tets.hex = NULL;
  tets.node_tag = NULL;
  mesh_destroy(&tets);
  return true;
}
