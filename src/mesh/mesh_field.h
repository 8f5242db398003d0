// Fields of mesh files: values at the nodes or in the cells that another program has computed.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// The field to read. `components` is 1 or 3.
typedef struct MeshField {
  const char *name;  // name of the field in the file
  bool on_cells;
  int components;
} MeshField;

/// Reads the mesh of a .vtu or .msh file as mesh_read does, and one field of the file. In a VTU file, a field is an
/// array of PointData or CellData. In an MSH file, a field is a section $NodeData or $ElementData; if several sections
/// have this name, the last one is used.
/// Allocates *values [nodes or cells of the mesh][components], which the caller releases by free(). Nodes that
/// mesh_raise adds get interpolated values. `mesh` and *values are set only on success.
/// Fails if the file has no such field (the message lists the fields that it has), if the field has a different number
/// of components, or if a value is missing or not finite.
bool mesh_read_field(const char *path, int degree, const MeshField *field, TetMesh *mesh, double **values,
                     Error *error);

#ifdef __cplusplus
}
#endif
