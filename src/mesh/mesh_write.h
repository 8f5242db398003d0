// Writes meshes in the format that the ending of the file's name selects; a final .gz compresses the file.
#pragma once
#include "mesh/format/writing.h"

/// Writes a mesh of linear tets or hexes. Hexes can be written only to .msh files and, with default options, to .vtu
/// files. A mesh in TetGen's format consists of two files: `path` is one of them, and both are written. If `how` is
/// NULL, the format's defaults are used. If mesh_read reads the file, it returns exactly the same positions, and the
/// same node numbers if the format stores them. After a failure no incomplete file is left.
bool mesh_write(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// Fails if mesh_write could not write this file: the format of the file is unknown, or the file cannot be created.
/// Called before a long computation, so that a wrong path is reported early.
bool mesh_write_check(const char *path, Error *error);

/// mesh_writes_byte_order: returns true if a file with this name and encoding may have either byte order, so
/// MeshWriting.big_endian matters. mesh_writes_version: returns true for MSH files, for which MeshWriting.msh_version
/// matters.
bool mesh_writes_byte_order(const char *path, MeshEncoding encoding);
bool mesh_writes_version(const char *path);
