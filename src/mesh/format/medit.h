// Medit's formats (INRIA, also written by TetWild, MMG, CGAL): .mesh in ASCII, .meshb in binary, versions 1 to 4.
#pragma once
#include "mesh/format/writing.h"

bool medit_read(const char *path, TetMesh *mesh, Error *error);
bool medit_read_binary(const char *path, TetMesh *mesh, Error *error);
bool medit_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
bool medit_write_binary(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
