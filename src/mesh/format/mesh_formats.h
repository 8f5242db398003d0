// The list of mesh formats, in which mesh_read and mesh_write look up a path's ending.
#pragma once
#include "mesh/format/writing.h"

typedef struct MeshFormat {
  const char *ending, *summary;
  bool (*read)(const char *path, TetMesh *mesh, Error *error);
  bool (*write)(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
  unsigned encodings;  // bits 1 << MeshEncoding that `write` supports
  unsigned ordered;    // bits of encodings, MESH_USUAL too, that leave the byte order open
} MeshFormat;

/// The format of a path's name without a final .gz, or NULL with an error that lists all formats. Sets `packed` if the
/// name ends in .gz.
const MeshFormat *mesh_format(const char *path, bool *packed, Error *error);
