// The table of mesh formats. mesh_read and mesh_write find the format by the ending of the file's name.
#pragma once
#include "mesh/format/writing.h"

typedef struct MeshFormat {
  const char *ending, *summary;
  bool (*read)(const char *path, TetMesh *mesh, Error *error);
  bool (*write)(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
  unsigned encodings;  // encodings that `write` supports: bit MESH_TEXT is set for MESH_TEXT, and so on
  unsigned ordered;    // encodings, MESH_USUAL included, in which the format allows either byte order; bits as in
                       // `encodings`
} MeshFormat;

/// Returns the format by the ending of a file's name, without a final .gz, or NULL with an error that lists all
/// formats. *packed is true if the name ends in .gz.
const MeshFormat *mesh_format(const char *path, bool *packed, Error *error);
