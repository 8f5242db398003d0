// Legacy VTK files (.vtk), versions 1 to 5: unstructured grids in ASCII or big-endian binary.
#pragma once
#include "mesh/format/writing.h"

bool vtk_read(const char *path, TetMesh *mesh, Error *error);
bool vtk_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
