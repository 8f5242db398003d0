// The settings of a mesh file's encoding, and helpers that the writers of all formats call.
#pragma once
#include <stdio.h>

#include "mesh/tet_mesh.h"

typedef enum MeshEncoding {
  MESH_USUAL,   // text; for .vtu what ParaView writes, MESH_ZLIB; for .meshb binary
  MESH_TEXT,    // ASCII, with the 17 digits that bring every double back
  MESH_BINARY,  // .msh, .vtk; .vtu: raw data behind the XML
  MESH_BASE64,  // .vtu: base64 within the XML
  MESH_ZLIB,    // .vtu: raw data behind the XML, compressed
} MeshEncoding;

typedef struct MeshWriting {
  MeshEncoding encoding;
  bool big_endian;  // of binary data, where the format leaves it open
  int msh_version;  // 22 or 41
} MeshWriting;

/// Corner c of tet e in the order of Gmsh and VTK, whose tets have the opposite sign of volume. Readers swap the first
/// two corners, too.
static inline int mesh_file_corner(const TetMesh *mesh, int e, int c) {
  return mesh->tet[e][c < 2 ? 1 - c : c];
}

/// The node on edge k, 01, 12, 02, 03, 13, 23 of those corners, as VTK orders them.
static inline int mesh_file_middle(const TetMesh *mesh, int e, int k) {
  static const int turned[6] = { 0, 2, 1, 4, 3, 5 };
  return mesh->middle[e][turned[k]];
}

// These write a number in the machine's byte order, or swapped. The file reports errors when it is closed.
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
