// Reading a mesh: the file's name ending picks the reader, and every reader's mesh is put in order the same way.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mesh/msh.h"
#include "mesh/tet_mesh.h"

static const struct {
  const char *ending, *summary;
  bool (*read)(const char *path, TetMesh *mesh, Error *error);
} readers[] = {
  { ".msh", "Gmsh MSH 2.2 and 4.1, ASCII", msh_read },
};
enum { READER_COUNT = sizeof readers / sizeof readers[0] };

bool mesh_read(const char *path, TetMesh *mesh, Error *error) {
  bool ok = false;
  TetMesh made = { 0 };
  const char *slash = strrchr(path, '/'), *ending = strrchr(slash ? slash : path, '.');
  int r = 0;
  while (r < READER_COUNT && !(ending && strcasecmp(ending, readers[r].ending) == 0)) r++;
  if (r == READER_COUNT) {
    char known[256] = "";
    size_t length = 0;
    for (int k = 0; k < READER_COUNT && length < sizeof known; k++)
      length += (size_t)snprintf(known + length, sizeof known - length, "%s%s (%s)", k ? ", " : "", readers[k].ending,
                                 readers[k].summary);
    if (ending && strcasecmp(ending, ".gz") == 0)
      error_set(error, "%s: compressed meshes are not supported, unpack it first (gunzip)", path);
    else
      error_set(error, "%s: no mesh format has the name ending \"%s\"; supported: %s", path, ending ? ending : "",
                known);
    goto done;
  }
  if (!readers[r].read(path, &made, error)) goto done;
  if (!mesh_tidy(&made, path, error)) goto done;
  *mesh = made, made = (TetMesh){ 0 };  // handed over
  ok = true;
done:
  mesh_destroy(&made);
  return ok;
}
