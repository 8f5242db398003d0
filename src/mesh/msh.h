// Gmsh's MSH format, 2.2 and 4.1, ASCII.
#pragma once
#include "mesh/tet_mesh.h"

/// Reads nodes and linear tets from any number of blocks; other elements are skipped with one notice, other sections
/// without. Corners come out in this program's order: positive by Gmsh's convention is positive by ours. The mesh is as
/// the file has it: mesh_tidy comes next. `mesh` is written only when all went well.
bool msh_read(const char *path, TetMesh *mesh, Error *error);
