// The table of mesh formats, from which mesh_read and mesh_write choose by the ending of a file's name.
#pragma once
#include "mesh/format/writing.h"

// One format: the ending of its file names, such as ".msh"; its name in messages; and the functions that read and write
// it.
typedef struct MeshFormat {
  const char *ending, *summary;
  bool (*read)(const char *path, TetMesh *mesh, Error *error);
  bool (*write)(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
  unsigned encodings;  // bit mask of the encodings that `write` supports: 1 << MESH_TEXT for text, and so on
  unsigned ordered;    // bit 1 << k is set if binary data in the MeshEncoding k may have either byte order
} MeshFormat;

/// Returns the format of a file by the ending of its name, of which a final .gz is ignored. Returns NULL with an error
/// that lists all formats if there is none. *packed is true if the name ends in .gz.
const MeshFormat *mesh_format(const char *path, bool *packed, Error *error);
