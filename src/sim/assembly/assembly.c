// Assembly: the list of methods and what is the same for all of them.
#include "sim/assembly/assembly.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"

// for each device the default comes first
#define CPU_METHODS(X) X(cpu_opt) X(cpu)
#ifdef PLIANT_CUDA
#define METHODS(X) CPU_METHODS(X) X(sharednz) X(globalnz)
#else
#define METHODS(X) CPU_METHODS(X)
#endif

// each is built for every element: the body that moves, its compressed form, and one of another kind
#define DECLARE_PRECISIONS(name, element) extern const AssemblyMethod name##_##element##_f32, name##_##element##_f64;
#define LIST_PRECISIONS(name, element) &name##_##element##_f32, &name##_##element##_f64,
#define EACH_ELEMENT(DO, name) \
  DO(name, neo_hookean_tet) DO(name, neo_hookean_tet_qr) DO(name, neo_hookean_tet_graded) DO(name, poisson_tet)
#define DECLARE(name) EACH_ELEMENT(DECLARE_PRECISIONS, name)
#define LIST(name) EACH_ELEMENT(LIST_PRECISIONS, name)
METHODS(DECLARE)

const AssemblyMethod *const assembly_methods[] = { METHODS(LIST) NULL };

const AssemblyMethod *assembly_method(const char *element, int index) {
  for (int k = 0; assembly_methods[k]; k++)
    if (strcmp(assembly_methods[k]->element, element) == 0 && index-- == 0) return assembly_methods[k];
  return NULL;
}

bool assembly_create(Assembly *assembly, const AssemblyMethod *method, const TetMesh *mesh, const Matrix *layout,
                     Partitioner partitioner, Error *error) {
  *assembly = (Assembly){ .method = method, .layout = layout, .partitioner = partitioner };
  if (method->create(assembly, mesh, error)) return true;
  assembly_destroy(assembly);
  return error_prefix(error, "assembly %s", method->name);
}

void assembly_destroy(Assembly *assembly) {
  if (assembly->data) assembly->method->destroy_data(assembly);
  if (assembly->method) device_free(assembly->method->device, assembly->min_J);
  *assembly = (Assembly){ 0 };
}

bool assembly_run(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F, void *values,
                  Stream stream, Error *error) {
  return assembly->method->assemble(assembly, parameters, nodal, F, values, stream, error);
}

enum { CHUNK = 1024 };

typedef struct OffsetsTask {
  const TetMesh *mesh;
  const Pattern *pattern;
  uint16_t (*offset)[4][4];
} OffsetsTask;

static void find_offsets(const void *task, int first, int last) {
  const OffsetsTask *t = task;
  const int dof = t->pattern->node_dof;
  for (int e = first; e < last && !interrupt_signal(); e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        const int row = dof * t->mesh->tet[e][a];
        t->offset[e][a][b] =
            (uint16_t)(pattern_find(t->pattern, row, dof * t->mesh->tet[e][b]) - t->pattern->row_start[row]);
      }
}

uint16_t (*assembly_offsets(const TetMesh *mesh, const Pattern *pattern, Error *error))[4][4] {
  const int dof = pattern->node_dof;
  for (int a = 0; a < mesh->node_count; a++)
    if (pattern->row_start[dof * a + 1] - pattern->row_start[dof * a] > UINT16_MAX + 1) {
      error_set(error, "node %lld has more than %d neighbours", (long long)mesh->node_tag[a], UINT16_MAX / dof);
      return NULL;
    }
  uint16_t(*offset)[4][4] = array_new(mesh->tet_count, sizeof *offset, "element offsets", error);
  if (!offset) return NULL;
  parallel_for(mesh->tet_count, CHUNK, find_offsets, &(OffsetsTask){ mesh, pattern, offset });
  if (interrupt_check(error)) return offset;
  free(offset);
  return NULL;
}
