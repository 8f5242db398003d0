// Abaqus input files (.inp): nodes, elements, and their sets and surfaces. See inp.c for the keywords.
#pragma once
#include "mesh/format/writing.h"

bool inp_read(const char *path, TetMesh *mesh, Error *error);
bool inp_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
