// Vega FEM's format .veg, in ASCII. Only the sections *VERTICES and *ELEMENTS, with tets or cubes, are used. Materials
// and regions are skipped, since scenes define them.
#pragma once
#include "mesh/format/writing.h"

bool vega_read(const char *path, TetMesh *mesh, Error *error);
bool vega_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
