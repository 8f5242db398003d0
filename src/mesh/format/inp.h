// Abaqus input files (.inp). inp_read reads nodes, elements, sets and surfaces; inp.c lists the keywords. inp_write
// writes only nodes and tets.
#pragma once
#include "mesh/format/writing.h"

bool inp_read(const char *path, TetMesh *mesh, Error *error);
bool inp_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
