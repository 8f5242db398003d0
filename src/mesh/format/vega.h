// Vega FEM's format .veg, in ASCII. Only the sections *VERTICES and *ELEMENTS are read: tets and cubes become cells.
// Sections of materials and regions are skipped, because in Pliant the scene defines materials.
#pragma once
#include "mesh/format/writing.h"

bool vega_read(const char *path, TetMesh *mesh, Error *error);
bool vega_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
