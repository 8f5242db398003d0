// Writes meshes in all formats, selected by the ending of the file's name; a final .gz compresses the file.
#pragma once
#include "mesh/format/writing.h"

/// Writes a mesh of linear tets or hexes. If writing fails, no incomplete file is left. For TetGen, `path` is one file
/// of the pair, and both files are written. If `how` is NULL, the format's defaults are used; mesh_read then reads
/// exactly equal positions, and equal node numbers if the format stores them.
bool mesh_write(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// Fails if mesh_write could not write to this path: the format is unknown, or the file cannot be created. Callers call
/// it before they start long work.
bool mesh_write_check(const char *path, Error *error);

/// Each function returns true if one member of MeshWriting affects a file with this name: big_endian, or msh_version.
bool mesh_writes_byte_order(const char *path, MeshEncoding encoding);
bool mesh_writes_version(const char *path);
