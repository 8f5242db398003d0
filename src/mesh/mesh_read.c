// Reading a mesh: the file's name ending picks the reader, and every reader's mesh is put in order the same way.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "mesh/format/mesh_formats.h"

bool mesh_read(const char *path, TetMesh *mesh, Error *error) {
  TetMesh made = { 0 };
  bool packed;
  const MeshFormat *format = mesh_format(path, &packed, error);
  if (format && format->read(path, &made, error) && mesh_tidy(&made, path, error)) {
    *mesh = made;
    return true;
  }
  mesh_destroy(&made);
  return false;
}

bool mesh_check_file(const char *path, Error *error) {
  bool packed;
  if (access(path, R_OK) != 0) return error_set(error, "%s: %s", path, strerror(errno));
  return mesh_format(path, &packed, error) != NULL;
}
