// The table of mesh formats. mesh_read and mesh_write choose a format by the ending of the file's name.
#pragma once
#include "mesh/format/writing.h"

// One file format. ending: ending of its file names, such as ".msh". summary: its name in messages. read, write:
// functions that read and write a mesh.
typedef struct MeshFormat {
  const char *ending, *summary;
  bool (*read)(const char *path, TetMesh *mesh, Error *error);
  bool (*write)(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
  unsigned encodings;  // bit mask of the encodings that `write` supports: 1 << MESH_TEXT for text, and so on
  unsigned ordered;    // bit 1 << k is set if the user may choose the byte order of a file in the MeshEncoding k
  bool from_one;       // other programs expect positive node numbers in these files
} MeshFormat;

/// Returns the format to which the ending of a file's name belongs; a final ".gz" is ignored. *packed becomes true if
/// the name ends in ".gz", otherwise false. If no format has this ending, returns NULL with an error that lists all
/// formats.
const MeshFormat *mesh_format(const char *path, bool *packed, Error *error);
