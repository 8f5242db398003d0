// Reads a mesh. The ending of the file's name selects the reader; then every mesh is tidied and converted to the wanted
// degree.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "mesh/format/builder.h"
#include "base/number.h"
#include "mesh/format/mesh_formats.h"
#include "mesh/quadratic.h"

// Tidies the mesh of a file and converts it to this degree.
static bool take_degree(TetMesh *mesh, int degree, const char *path, Error *error) {
  if (degree > 1 && mesh->hex)
    return error_set(error, "%s: the mesh has hexahedra, which are of degree 1; degree %d is for tetrahedra", path,
                     degree);
  if (degree != 2 && mesh->middle) {
    builder_report_linear(path, mesh->tet_count);
    mesh_linearise(mesh);
  }
  return mesh_tidy(mesh, path, error) && (degree != 2 || mesh_straighten(mesh, path, error)) &&
         mesh_raise(mesh, degree, error);
}

bool mesh_read(const char *path, int degree, TetMesh *mesh, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  TetMesh made = { 0 };
  bool packed;
  const MeshFormat *format = mesh_format(path, &packed, error);
  if (format && format->read(path, &made, error) && take_degree(&made, degree, path, error)) {
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
