// The table of mesh formats. mesh_read and mesh_write find the format by the ending of the file's name.
#pragma once
#include "mesh/format/writing.h"

// One format: the ending of its file names, such as ".msh"; its name, for messages; and the functions that read and
// write such a file.
typedef struct MeshFormat {
  const char *ending, *summary;
  bool (*read)(const char *path, TetMesh *mesh, Error *error);
  bool (*write)(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
  unsigned encodings;  // bit mask of the encodings that `write` supports: 1 << MESH_TEXT and so on
  unsigned ordered;    // bit mask of the encodings, including MESH_USUAL, in which the format allows either byte order
} MeshFormat;

/// Returns the format by the ending of a file's name, without a final .gz, or NULL with an error that lists all
/// formats. *packed is true if the name ends in .gz.
const MeshFormat *mesh_format(const char *path, bool *packed, Error *error);
