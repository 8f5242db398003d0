// Fields of mesh files: values at the nodes or in the cells, computed by another program.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// The field to read, with 1 or 3 components.
typedef struct MeshField {
  const char *name;  // name of the field in the file
  bool on_cells;
  int components;
} MeshField;

/// Reads the mesh of a .vtu or .msh file as mesh_read does, and one field of the file. In VTU, a field is an array of
/// PointData or CellData. In MSH, a field is a section $NodeData or $ElementData; if several sections have the field's
/// name, the last is read. Allocates *values [nodes or cells of the mesh][components], which the caller releases by
/// free(). If the mesh is converted to a higher `degree` (mesh_raise), values at added nodes are interpolated. Fails if
/// the file has no such field (the message lists its fields), if the number of components differs, or if a value is
/// missing or not finite. After a failure, `mesh` and *values are unchanged.
bool mesh_read_field(const char *path, int degree, const MeshField *field, TetMesh *mesh, double **values,
                     Error *error);

#ifdef __cplusplus
}
#endif
