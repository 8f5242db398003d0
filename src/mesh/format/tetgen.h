// TetGen stores a mesh in two files: NAME.node has the nodes, NAME.ele the tets. Numbers of nodes and tets begin at 0
// or 1.
#pragma once
#include "mesh/format/writing.h"

/// Reads both files. `path` is one of them; the other must be in the same folder.
bool tetgen_read(const char *path, TetMesh *mesh, Error *error);

bool tetgen_write_nodes(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
bool tetgen_write_tets(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// From the path of one file of the pair, writes the path of the file with this `ending` to other [size]. If `path`
/// ends in .gz, so does the result. Returns false if the result is too long.
bool tetgen_other(const char *path, const char *ending, char *other, size_t size);
