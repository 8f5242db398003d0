// Options for writing a mesh file, and functions shared by the writers of several formats.
#pragma once
#include <stdio.h>

#include "mesh/tet_mesh.h"

typedef enum MeshEncoding {
  MESH_USUAL,   // the format's default: MESH_ZLIB for .vtu, as ParaView writes it; binary for .meshb; otherwise text
  MESH_TEXT,    // ASCII; numbers with 17 digits, which reproduce every double
  MESH_BINARY,  // binary data in .msh and .vtk; in .vtu, raw data after the XML
  MESH_BASE64,  // only for .vtu: base64 within the XML
  MESH_ZLIB,    // only for .vtu: compressed raw data after the XML
} MeshEncoding;

// Options for writing a mesh file. big_endian and msh_version have an effect only in some formats.
typedef struct MeshWriting {
  MeshEncoding encoding;
  bool big_endian;  // true: binary data are big-endian, if the format allows both byte orders; else little-endian
  int msh_version;  // 22 for MSH 2.2, 41 for MSH 4.1
} MeshWriting;

/// Returns the node at corner c of tet e, where c counts the corners in the order of Gmsh and VTK. Tets of Gmsh and VTK
/// have the opposite orientation to those of Pliant, so the first two corners are exchanged. Pliant's readers of mesh
/// files exchange them back.
static inline int mesh_file_corner(const TetMesh *mesh, int e, int c) {
  return mesh->tet[e][c < 2 ? 1 - c : c];
}

/// Returns the node in the middle of edge k of tet e. Edges are in VTK's order 01, 12, 02, 03, 13, 23, where 0 to 3 are
/// the corners in the order of mesh_file_corner.
static inline int mesh_file_middle(const TetMesh *mesh, int e, int k) {
  static const int turned[6] = { 0, 2, 1, 4, 3, 5 };
  return mesh->middle[e][turned[k]];
}

/// Returns the number that must be added to all node numbers so that they are positive: 1 if a node has the number 0,
/// otherwise 0. tag: [count], numbers of nodes, 0 or more.
static inline int64_t mesh_tag_shift(const int64_t *tag, int64_t count) {
  for (int64_t a = 0; a < count; a++)
    if (tag[a] == 0) return 1;
  return 0;
}

// These functions write a number in the byte order of this machine or, if `swap` is true, in the opposite order. Errors
// of writing are reported when the file is closed.
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
