// Lists the mesh formats: see mesh_formats.h.
#include "mesh/format/mesh_formats.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "mesh/format/inp.h"
#include "mesh/format/medit.h"
#include "mesh/format/msh.h"
#include "mesh/format/tetgen.h"
#include "mesh/format/vega.h"
#include "mesh/format/vtk.h"
#include "mesh/format/vtu.h"

#define BIT(encoding) (1u << (encoding))
static const MeshFormat formats[] = {
  { ".msh", "Gmsh 2.2 and 4.1", msh_read, msh_write, BIT(MESH_TEXT) | BIT(MESH_BINARY), BIT(MESH_BINARY), true },
  { ".mesh", "Medit", medit_read, medit_write, BIT(MESH_TEXT), 0, false },
  { ".meshb", "Medit, binary", medit_read_binary, medit_write_binary, BIT(MESH_BINARY),
    BIT(MESH_USUAL) | BIT(MESH_BINARY), false },
  { ".node", "TetGen, with .ele in the same folder", tetgen_read, tetgen_write_nodes, BIT(MESH_TEXT), 0, false },
  { ".ele", "TetGen, with .node in the same folder", tetgen_read, tetgen_write_tets, BIT(MESH_TEXT), 0, false },
  { ".vtk", "legacy VTK", vtk_read, vtk_write, BIT(MESH_TEXT) | BIT(MESH_BINARY), 0, false },
  { ".vtu", "VTK XML", vtu_read, vtu_write, BIT(MESH_TEXT) | BIT(MESH_BINARY) | BIT(MESH_BASE64) | BIT(MESH_ZLIB),
    BIT(MESH_USUAL) | BIT(MESH_BINARY) | BIT(MESH_BASE64) | BIT(MESH_ZLIB), false },
  { ".veg", "Vega FEM", vega_read, vega_write, BIT(MESH_TEXT), 0, false },
  { ".inp", "Abaqus", inp_read, inp_write, BIT(MESH_TEXT), 0, true },
};
enum { FORMATS = sizeof formats / sizeof *formats };

static bool ends_with(const char *text, size_t length, const char *ending) {
  const size_t tail = strlen(ending);
  return length > tail && strncasecmp(text + length - tail, ending, tail) == 0;
}

const MeshFormat *mesh_format(const char *path, bool *packed, Error *error) {
  size_t length = strlen(path), listed = 0;
  char known[400] = "";
  *packed = ends_with(path, length, ".gz");
  if (*packed) length -= 3;
  for (int k = 0; k < FORMATS; k++)
    if (ends_with(path, length, formats[k].ending)) return &formats[k];
  for (int k = 0; k < FORMATS && listed < sizeof known; k++)
    listed += (size_t)snprintf(known + listed, sizeof known - listed, "%s%s", k ? " " : "", formats[k].ending);
  struct stat status;
  if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
    error_set(error, "%s: is a folder, expected a mesh file (%s, or one of these with .gz)", path, known);
    return NULL;
  }
  const char *surfaces[] = { ".obj", ".stl", ".ply", ".off" };
  for (int k = 0; k < 4; k++)
    if (ends_with(path, length, surfaces[k])) {
      error_set(error,
                "%s: is a surface, and Pliant needs tetrahedra; if it is closed, fill it with `pliant tetrahedralize "
                "%s OUT.msh`",
                path, path);
      return NULL;
    }
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  if (dot)
    error_set(error, "%s: unknown mesh format \"%s\", expected %s, each also with .gz", path, dot, known);
  else
    error_set(error, "%s: the name of a mesh file must end with %s, each also with .gz", path, known);
  return NULL;
}
