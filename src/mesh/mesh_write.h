// Writes meshes in all formats, selected by the ending of the file's name; a final .gz compresses the file.
#pragma once
#include "mesh/format/writing.h"

/// Writes a linear mesh, or hexes by cell_mesh_write. The file appears complete or not at all. Either file of TetGen's
/// pair may be named, and both appear or none. `how` NULL: the format's defaults. mesh_read then reads positions that
/// are equal to the last bit, and equal node numbers if the format stores them.
bool mesh_write(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// Tests, before any work is done, if a mesh could be written to this path: the format is known and the file can be
/// created.
bool mesh_write_check(const char *path, Error *error);

/// Return true if the bytes of a file of that name depend on MeshWriting's big_endian, or on its msh_version.
bool mesh_writes_byte_order(const char *path, MeshEncoding encoding);
bool mesh_writes_version(const char *path);
