// Writing meshes in all formats, chosen by the file's name ending; .gz behind it packs the file.
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

/// Writes a linear mesh, of hexes as cell_mesh_write does; the file appears whole or not at all. TetGen's pair of files
/// is named by either, and both appear or none. `how` NULL: as is usual for the format. What mesh_read then reads has
/// the same positions to the last bit, and the same node numbers where the format has them.
bool mesh_write(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error);

/// Whether a mesh could be written there: the format is known, and the file can be created. For a look before the work.
bool mesh_write_check(const char *path, Error *error);

/// Return true if the bytes of a file of that name depend on MeshWriting's big_endian, or on its msh_version.
bool mesh_writes_byte_order(const char *path, MeshEncoding encoding);
bool mesh_writes_version(const char *path);

/// For writers: corner c of tet e in the order of Gmsh and VTK, which has the sign opposite to ours. Readers undo it
/// with the same swap of the first two.
static inline int mesh_file_corner(const TetMesh *mesh, int e, int c) {
  return mesh->tet[e][c < 2 ? 1 - c : c];
}

/// For writers: the node on edge k, 01, 12, 02, 03, 13, 23 of those corners, as VTK orders them.
static inline int mesh_file_middle(const TetMesh *mesh, int e, int k) {
  static const int turned[6] = { 0, 2, 1, 4, 3, 5 };
  return mesh->middle[e][turned[k]];
}

// For writers: a number in the machine's byte order, or swapped. Errors show when the file is closed.
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
