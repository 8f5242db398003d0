// Assembly: the list of methods and what is the same for all of them.
#include "sim/assembly/assembly.h"

#include <stdlib.h>

#include "base/array.h"

extern const AssemblyMethod assembly_cpu_f32, assembly_cpu_f64;
#ifdef PLIANT_CUDA
extern const AssemblyMethod assembly_globalnz_f32, assembly_globalnz_f64;
#endif

// for each device the default comes first
const AssemblyMethod *const assembly_methods[] = {
  &assembly_cpu_f32,
  &assembly_cpu_f64,
#ifdef PLIANT_CUDA
  &assembly_globalnz_f32,
  &assembly_globalnz_f64,
#endif
  NULL,
};

bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const TetMesh *mesh, const Matrix *matrix,
                     Error *error) {
  *assembly = (Assembly){ .method = method, .matrix = matrix };
  if (method->create(assembly, mesh, error)) return true;
  assembly_destroy(assembly);
  return error_prefix(error, "assembly %s", method->name);
}

void assembly_destroy(Assembly *assembly) {
  if (assembly->data) assembly->method->destroy_data(assembly);
  if (assembly->method) device_free(assembly->method->device, assembly->min_J);
  *assembly = (Assembly){ 0 };
}

bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *u, void *F, Matrix *A,
                  Stream stream, Error *error) {
  return assembly->method->assemble(assembly, parameters, u, F, A, stream, error);
}

uint16_t (*assembly_offsets(const TetMesh *mesh, const Pattern *pattern, Error *error))[4][4] {
  uint16_t(*offset)[4][4] = array_new(mesh->tet_count, sizeof *offset, "element offsets", error);
  if (!offset) return NULL;
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        const int row = 3 * mesh->tet[e][a];
        const int at = pattern_find(pattern, row, 3 * mesh->tet[e][b]) - pattern->row_start[row];
        if (at > UINT16_MAX) {
          error_set(error, "node %lld has more than %d neighbours", (long long)mesh->node_tag[mesh->tet[e][a]],
                    UINT16_MAX / 3);
          free(offset);
          return NULL;
        }
        offset[e][a][b] = (uint16_t)at;
      }
  return offset;
}
