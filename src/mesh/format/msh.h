// Gmsh's MSH format, versions 2.2 and 4.1, in ASCII and in binary of either byte order.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/format/file_field.h"
#include "mesh/format/writing.h"
#include "mesh/tet_mesh.h"

/// Reads nodes and tets. Other elements are skipped with a notice. Sections other than nodes, elements and groups are
/// skipped without a notice. The mesh may contain unused nodes and inverted cells. The caller must then call mesh_tidy,
/// which removes unused nodes and reorients inverted cells. `mesh` is written only on success.
bool msh_read(const char *path, TetMesh *mesh, Error *error);

/// As msh_read, but also reads one field (named values at nodes or in cells), unless `field` is NULL.
bool msh_read_field(const char *path, FileField *field, TetMesh *mesh, Error *error);

/// Writes nodes with their tags (mesh->node_tag), and tets.
bool msh_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// Reads cells of any supported shape (mesh/cell_shape.h) instead of tets: see cell_mesh_read.
bool msh_read_cells(const char *path, CellMesh *mesh, Error *error);
