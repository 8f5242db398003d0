// Writes meshes in the format that the ending of the file's name selects; a final .gz compresses the file.
#pragma once
#include "mesh/format/writing.h"

/// Writes a mesh of linear tets or hexes. After a failure no incomplete file is left. For TetGen, `path` is one file of
/// the pair, and both are written. `how` NULL: the format's defaults; mesh_read then reads exactly equal positions, and
/// equal node numbers if the format stores them.
bool mesh_write(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// Fails if mesh_write could not write this file: its format is unknown, or it cannot be created. To be called before
/// long work.
bool mesh_write_check(const char *path, Error *error);

/// Return true if a member of MeshWriting, big_endian or msh_version, has an effect on a file with this name.
bool mesh_writes_byte_order(const char *path, MeshEncoding encoding);
bool mesh_writes_version(const char *path);
