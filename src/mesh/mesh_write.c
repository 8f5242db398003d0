// Writes meshes: see mesh_write.h.
#include "mesh/mesh_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/memory_stream.h"
#include "base/number.h"
#include "base/path.h"
#include "mesh/cell_mesh.h"
#include "mesh/fill_surface.h"
#include "mesh/format/mesh_formats.h"
#include "mesh/format/tetgen.h"

// Compresses bytes [size] by gzip and writes them to the file. Messages begin with `path`.
static bool write_packed(FILE *file, const char *bytes, size_t size, const char *path, Error *error) {
  const int descriptor = dup(fileno(file));
  gzFile packed = descriptor < 0 ? NULL : gzdopen(descriptor, "wb");
  bool ok = packed != NULL;
  int cause = ok ? 0 : errno ? errno : ENOMEM;
  if (!ok && descriptor >= 0) close(descriptor);
  for (size_t at = 0; ok && at < size;) {
    const unsigned part = size - at < (1u << 20) ? (unsigned)(size - at) : 1u << 20;
    errno = 0;
    ok = interrupt_check(error) && gzwrite(packed, bytes + at, part) == (int)part;
    if (!ok) cause = errno;
    at += part;
  }
  errno = 0;
  if (packed && gzclose(packed) != Z_OK && ok) {
    ok = false;
    cause = errno;
  }
  return ok || error_set(error, "%s: cannot be written: %s", path, cause ? strerror(cause) : "zlib failed");
}

// Opens a file and writes the mesh to it, compressed by gzip if `packed`. The file has a temporary name until the
// caller gives it its final name by atomic_file_commit.
static bool write_file(AtomicFile *output, const char *path, const MeshFormat *format, bool packed, const TetMesh *mesh,
                       const MeshWriting *how, Error *error) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *memory = memory_stream(&bytes, &size);
  bool ok = memory != NULL && format->write(memory, mesh, how, error);
  if (memory && fclose(memory) != 0) ok = false;
  ok = ok || error_set(error, "%s: not enough memory to write the mesh", path);
  ok = ok && atomic_file_open(output, path, error);
  if (ok && packed)
    ok = write_packed(output->stream, bytes, size, path, error);
  else if (ok)
    fwrite(bytes, 1, size, output->stream);  // atomic_file_commit reports a failed write
  free(bytes);
  return ok;
}

// Writes both files of a TetGen mesh, or none if one fails.
static bool write_pair(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  static const char *const endings[2] = { ".node", ".ele" };
  AtomicFile output[2] = { 0 };
  bool packed, ok = true;
  for (int k = 0; ok && k < 2; k++) {
    char other[FILE_PATH_LENGTH];
    ok = tetgen_other(path, endings[k], other, sizeof other) ||
         error_set(error, "%.100s...: the path is too long", path);
    const MeshFormat *format = ok ? mesh_format(other, &packed, error) : NULL;
    ok = format && write_file(&output[k], other, format, packed, mesh, how, error);
  }
  ok = ok && atomic_file_commit_pair(&output[0], &output[1], error);
  for (int k = 0; k < 2; k++) atomic_file_close(&output[k]);
  return ok;
}

bool mesh_write_check(const char *path, Error *error) {
  char other[FILE_PATH_LENGTH];
  bool packed;
  if (fill_surface_reads(path))
    return error_set(error, "%s: a %s file cannot store a mesh of cells; choose another name, such as OUT.msh", path,
                     strrchr(path, '.'));
  const MeshFormat *format = mesh_format(path, &packed, error);
  if (!format || !atomic_file_check(path, error)) return false;
  if (format->read != tetgen_read) return true;
  return (tetgen_other(path, ".node", other, sizeof other) && atomic_file_check(other, error)) &&
         (tetgen_other(path, ".ele", other, sizeof other) && atomic_file_check(other, error));
}

bool mesh_writes_byte_order(const char *path, MeshEncoding encoding) {
  bool packed;
  const MeshFormat *format = mesh_format(path, &packed, &(Error){ 0 });
  return format && format->ordered & 1u << encoding;
}

bool mesh_writes_version(const char *path) {
  return path_ends_with(path, ".msh") || path_ends_with(path, ".msh.gz");
}

// Writes a mesh of hexes to a .vtu file by cell_mesh_write. Fails for any other format, and if `how` selects an
// encoding or a byte order that is not the default.
static bool write_hexes(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  const CellMesh cells = { .shape = CELL_HEX8,
                           .node_count = mesh->node_count,
                           .cell_count = mesh->tet_count,
                           .X = mesh->X,
                           .cell = (int *)mesh->hex,
                           .node_tag = mesh->node_tag };
  if (!cell_mesh_write_check(path, CELL_HEX8, false, error)) return false;
  if (how && (how->encoding != MESH_USUAL || how->big_endian))
    return error_set(error,
                     "%s: .vtu files of hexahedra are written only in the default encoding (compressed) and byte "
                     "order (little-endian); .msh files support other encodings",
                     path);
  return cell_mesh_write(path, &cells, NULL, 0, error);
}

// Writes a mesh to one file. If the format needs positive node numbers and a node has the number 0, all numbers in the
// file are larger by 1.
static bool write_single(const char *path, const MeshFormat *format, bool packed, const TetMesh *mesh,
                         const MeshWriting *how, Error *error) {
  TetMesh numbered = *mesh;
  int64_t *tag = NULL;
  const int64_t shift = format->from_one ? mesh_tag_shift(mesh->node_tag, mesh->node_count) : 0;
  if (shift) {
    tag = array_new(mesh->node_count, sizeof *tag, "node numbers", error);
    if (!tag) return false;
    for (int a = 0; a < mesh->node_count; a++) tag[a] = mesh->node_tag[a] + shift;
    numbered.node_tag = tag;
  }
  AtomicFile output = { 0 };
  const bool ok =
      write_file(&output, path, format, packed, &numbered, how, error) && atomic_file_commit(&output, error);
  atomic_file_close(&output);
  free(tag);
  return ok;
}

bool mesh_write(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  static const char *const names[] = { "usual", "text", "binary", "base64", "zlib" };
  MeshWriting chosen = how ? *how : (MeshWriting){ 0 };
  bool packed;
  const MeshFormat *format = mesh_format(path, &packed, error);
  if (!format) return false;
  if (mesh->hex && !mesh_writes_version(path)) return write_hexes(path, mesh, how, error);
  if (chosen.msh_version == 0) chosen.msh_version = 41;
  if (chosen.encoding != MESH_USUAL && !(format->encodings & 1u << chosen.encoding))
    return error_set(error, "%s: %s files (%s) cannot be written with encoding %s; choose another --encoding", path,
                     format->ending, format->summary, names[chosen.encoding]);
  if (format->read == tetgen_read) return write_pair(path, mesh, &chosen, error);
  return write_single(path, format, packed, mesh, &chosen, error);
}
