// Gmsh's MSH format, 2.2 and 4.1, ASCII and binary of either byte order.
#pragma once
#include "mesh/cell_mesh.h"
#include "mesh/format/writing.h"
#include "mesh/tet_mesh.h"

/// Reads nodes and tets from any number of blocks; other elements are skipped with one notice, other sections without.
/// The mesh is as the file has it: mesh_tidy comes next. `mesh` is written only when all went well.
bool msh_read(const char *path, TetMesh *mesh, Error *error);

/// Writes nodes with their tags, and tets.
bool msh_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// Cells of any one shape there is (mesh/cell_shape.h) in place of tets: see cell_mesh_read.
bool msh_read_cells(const char *path, CellMesh *mesh, Error *error);
