// TetGen's format, a pair of files: NAME.node has the nodes and NAME.ele the tets. Nodes and tets are numbered from 0
// or 1.
#pragma once
#include "mesh/format/writing.h"

/// Reads the .node and the .ele file of a mesh. `path` is one of these two files; the other must be in the same folder.
bool tetgen_read(const char *path, TetMesh *mesh, Error *error);

bool tetgen_write_nodes(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
bool tetgen_write_tets(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// The files NAME.node and NAME.ele of a mesh are a pair. Computes other [size], the path of one of them, from `path`,
/// the path of the other: replaces its ending by `ending`. If `path` ends in .gz, so does `other`. Returns false if
/// `other` is too long.
bool tetgen_other(const char *path, const char *ending, char *other, size_t size);
