// The one list of mesh formats: mesh_read and mesh_write look names up here.
#pragma once
#include "mesh/format/writing.h"

typedef struct MeshFormat {
  const char *ending, *summary;
  bool (*read)(const char *path, TetMesh *mesh, Error *error);
  bool (*write)(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
  unsigned encodings;  // bits 1 << MeshEncoding that `write` knows
  unsigned ordered;    // bits of encodings, MESH_USUAL too, that leave the byte order open
} MeshFormat;

/// The format of a path's name, .gz behind it left out, or NULL with an error that lists what there is. `packed` is
/// whether the name ends in .gz.
const MeshFormat *mesh_format(const char *path, bool *packed, Error *error);
