// Fields of mesh files: values at the nodes or in the cells that another program has computed.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// The field to read. `components` is 1 or 3.
typedef struct MeshField {
  const char *name;  // its name in the file
  bool on_cells;
  int components;
} MeshField;

/// Reads the mesh of a .vtu or .msh file as mesh_read does, and one of its fields. In a VTU file fields are arrays of
/// PointData or CellData. In an MSH file they are $NodeData or $ElementData sections; the last one of this name is
/// used. values [nodes or cells of the mesh][components] is allocated and released by the caller with free(). Nodes
/// that mesh_raise adds get interpolated values. `mesh` and *values are set only on success. Fails if the file has no
/// such field, with the names that it has; if the field has other components; or if a value is missing or not finite.
bool mesh_read_field(const char *path, int degree, const MeshField *field, TetMesh *mesh, double **values,
                     Error *error);

#ifdef __cplusplus
}
#endif
