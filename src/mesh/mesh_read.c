// Reads a mesh file with the reader that the ending of its name selects. Then removes unused nodes, reorients inverted
// cells, and converts the mesh to the requested degree.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesh/format/builder.h"
#include "base/array.h"
#include "base/number.h"
#include "mesh/format/mesh_formats.h"
#include "mesh/format/msh.h"
#include "mesh/format/vtu.h"
#include "mesh/mesh_field.h"
#include "mesh/quadratic.h"

// Removes unused nodes of a mesh that was read from a file, reorients inverted cells, and converts the mesh to the
// given degree.
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

bool mesh_read_field(const char *path, int degree, const MeshField *field, TetMesh *mesh, double **values,
                     Error *error) {
  NUMBERS_WITH_POINT_HERE;
  TetMesh made = { 0 };
  FileField file = { .wanted = *field };
  double *found = NULL;
  bool packed;
  const MeshFormat *format = mesh_format(path, &packed, error);
  const bool vtu = format && strcmp(format->ending, ".vtu") == 0, msh = format && strcmp(format->ending, ".msh") == 0;
  bool ok =
      format &&
      (vtu || msh ||
       error_set(error, "%s: fields can be read only from .vtu and .msh files; save the field in such a file", path));
  ok = ok && (vtu ? vtu_read_field : msh_read_field)(path, &file, &made, error) &&
       take_degree(&made, degree, path, error);
  const int64_t count = field->on_cells ? made.tet_count : made.node_count;
  ok = ok && (found = array_new(count * field->components, sizeof *found, "a field", error)) &&
       file_field_finish(&file, path, &made, found, error);
  file_field_destroy(&file);
  if (ok) {
    *mesh = made;
    *values = found;
  } else {
    mesh_destroy(&made);
    free(found);
  }
  return ok;
}

bool mesh_check_file(const char *path, Error *error) {
  bool packed;
  if (access(path, R_OK) != 0) return error_set(error, "%s: %s", path, strerror(errno));
  return mesh_format(path, &packed, error) != NULL;
}
