// Writing meshes in all formats, chosen by the file's name ending; .gz behind it packs the file.
#pragma once
#include "mesh/format/writing.h"

/// Writes a linear mesh, of hexes as cell_mesh_write does; the file appears whole or not at all. TetGen's pair of files
/// is named by either, and both appear or none. `how` NULL: as is usual for the format. What mesh_read then reads has
/// the same positions to the last bit, and the same node numbers where the format has them.
bool mesh_write(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// Whether a mesh could be written there: the format is known, and the file can be created. For a look before the work.
bool mesh_write_check(const char *path, Error *error);

/// Return true if the bytes of a file of that name depend on MeshWriting's big_endian, or on its msh_version.
bool mesh_writes_byte_order(const char *path, MeshEncoding encoding);
bool mesh_writes_version(const char *path);
