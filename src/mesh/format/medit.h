// Medit's mesh formats by INRIA, versions 1 to 4: .mesh in ASCII and .meshb in binary. TetWild, MMG and CGAL write
// these formats too.
#pragma once
#include "mesh/format/writing.h"

bool medit_read(const char *path, TetMesh *mesh, Error *error);
bool medit_read_binary(const char *path, TetMesh *mesh, Error *error);
bool medit_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
bool medit_write_binary(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
