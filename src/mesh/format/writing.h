// Settings of a mesh file's encoding, and helper functions for the writers of all formats.
#pragma once
#include <stdio.h>

#include "mesh/tet_mesh.h"

typedef enum MeshEncoding {
  MESH_USUAL,   // text; for .vtu ParaView's default, MESH_ZLIB; for .meshb binary
  MESH_TEXT,    // ASCII, with 17 digits, which reproduce every double
  MESH_BINARY,  // .msh, .vtk; .vtu: raw data after the XML
  MESH_BASE64,  // .vtu: base64 within the XML
  MESH_ZLIB,    // .vtu: raw data after the XML, compressed
} MeshEncoding;

typedef struct MeshWriting {
  MeshEncoding encoding;
  bool big_endian;  // for binary data, if the format allows both orders
  int msh_version;  // 22 or 41
} MeshWriting;

/// Corner c of tet e in the order of Gmsh and VTK, in which tets have the opposite sign of volume. Readers swap the
/// first two corners too.
static inline int mesh_file_corner(const TetMesh *mesh, int e, int c) {
  return mesh->tet[e][c < 2 ? 1 - c : c];
}

/// Node on edge k of these corners, with edges in VTK's order 01, 12, 02, 03, 13, 23.
static inline int mesh_file_middle(const TetMesh *mesh, int e, int k) {
  static const int turned[6] = { 0, 2, 1, 4, 3, 5 };
  return mesh->middle[e][turned[k]];
}

// Write a number in the machine's byte order, or swapped. Errors are reported when the file is closed.
static inline void put_bytes(FILE *file, const void *value, int size, bool swap) {
  const unsigned char *from = (const unsigned char *)value;
  unsigned char to[8];
  for (int k = 0; k < size; k++) to[k] = from[swap ? size - 1 - k : k];
  fwrite(to, (size_t)size, 1, file);
}
static inline void put_i32(FILE *file, int32_t value, bool swap) {
  put_bytes(file, &value, 4, swap);
}
static inline void put_i64(FILE *file, int64_t value, bool swap) {
  put_bytes(file, &value, 8, swap);
}
static inline void put_f64(FILE *file, double value, bool swap) {
  put_bytes(file, &value, 8, swap);
}
