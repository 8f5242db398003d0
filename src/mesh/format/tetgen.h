// TetGen's pair of files: NAME.node has the nodes, NAME.ele the tets. Numbers count from 0 or 1.
#pragma once
#include "mesh/format/writing.h"

/// `path` is either of the two; the other lies beside it.
bool tetgen_read(const char *path, TetMesh *mesh, Error *error);

bool tetgen_write_nodes(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
bool tetgen_write_tets(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// The path of the other file of the pair, with .gz where `path` has it. False where it would be too long.
bool tetgen_other(const char *path, const char *ending, char *other, size_t size);
