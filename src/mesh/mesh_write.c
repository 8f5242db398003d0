// Writing a mesh: see mesh_write.h.
#include "mesh/mesh_write.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

#include "base/whole_file.h"
#include "mesh/format/mesh_formats.h"
#include "mesh/format/tetgen.h"

// the bytes go through gzip into the file
static bool write_packed(FILE *file, const char *bytes, size_t size, const char *path, Error *error) {
  gzFile packed = gzdopen(dup(fileno(file)), "wb");
  bool ok = packed != NULL;
  for (size_t at = 0; ok && at < size;) {
    const unsigned part = size - at < (1u << 30) ? (unsigned)(size - at) : 1u << 30;
    ok = gzwrite(packed, bytes + at, part) == (int)part;
    at += part;
  }
  if (packed && gzclose(packed) != Z_OK) ok = false;
  return ok || error_set(error, "%s: cannot be written", path);
}

static bool write_file(const char *path, const MeshFormat *format, bool packed, const TetMesh *mesh,
                       const MeshWriting *how, Error *error) {
  char *bytes = NULL;
  size_t size = 0;
  WholeFile whole = { 0 };
  FILE *memory = open_memstream(&bytes, &size);
  bool ok = memory != NULL && format->write(memory, mesh, how, error);
  if (memory && fclose(memory) != 0) ok = false;
  ok = ok || error_set(error, "%s: not enough memory to write the mesh", path);
  ok = ok && whole_file_open(&whole, path, error);
  if (ok && packed)
    ok = write_packed(whole.file, bytes, size, path, error);
  else if (ok)
    fwrite(bytes, 1, size, whole.file);  // whole_file_commit sees to errors
  ok = ok && whole_file_commit(&whole, error);
  whole_file_close(&whole);
  free(bytes);
  return ok;
}

bool mesh_write(const char *path, const TetMesh *mesh, const MeshWriting *how, Error *error) {
  static const char *const names[] = { "usual", "text", "binary", "base64", "zlib" };
  enum { PATH_LENGTH = 4096 };
  MeshWriting chosen = how ? *how : (MeshWriting){ 0 };
  bool packed;
  const MeshFormat *format = mesh_format(path, &packed, error);
  if (!format) return false;
  if (chosen.msh_version == 0) chosen.msh_version = 41;
  if (chosen.encoding != MESH_USUAL && !(format->encodings & 1u << chosen.encoding))
    return error_set(error, "%s: %s files (%s) cannot be written with encoding %s", path, format->ending,
                     format->summary, names[chosen.encoding]);
  if (format->read != tetgen_read) return write_file(path, format, packed, mesh, &chosen, error);
  // a pair: the nodes first, so that tets never stand there without them
  static const char *const endings[2] = { ".node", ".ele" };
  for (int k = 0; k < 2; k++) {
    char other[PATH_LENGTH];
    if (!tetgen_other(path, endings[k], other, sizeof other))
      return error_set(error, "%.100s...: the path is too long", path);
    format = mesh_format(other, &packed, error);
    if (!format || !write_file(other, format, packed, mesh, &chosen, error)) return false;
  }
  return true;
}
