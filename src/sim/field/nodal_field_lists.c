// What the twins of a nodal field share: the lists of tets around nodes, and which twins there are. See nodal_field.h.
#include <stdlib.h>

#include "base/array.h"
#include "sim/field/nodal_field.h"

extern const FieldOperations field_cpu_f32, field_cpu_f64;
#ifdef PLIANT_CUDA
extern const FieldOperations field_cuda_f32, field_cuda_f64;
#endif

const FieldOperations *const field_operations[] = {
  &field_cpu_f32,
  &field_cpu_f64,
#ifdef PLIANT_CUDA
  &field_cuda_f32,
  &field_cuda_f64,
#endif
  NULL,
};

bool nodal_field_create(NodalField *field, const Midpoint *m, const TetMesh *mesh, Error *error) {
  const int nodes = mesh->node_count, tets = mesh->tet_count;
  int *start = array_new((int64_t)nodes + 1, sizeof *start, "tets around nodes", error);
  int *around = array_new(4 * (int64_t)tets, sizeof *around, "tets around nodes", error);
  *field = (NodalField){ .device = m->device };
  bool ok = start && around;
  for (int e = 0; ok && e < tets; e++)
    for (int a = 0; a < 4; a++) start[mesh->tet[e][a] + 1]++;
  for (int a = 0; ok && a < nodes; a++) start[a + 1] += start[a];
  // each list grows into the next one's place, which then begins where this one ends
  for (int e = 0; ok && e < tets; e++)
    for (int a = 0; a < 4; a++) around[start[mesh->tet[e][a]]++] = e;
  for (int a = nodes; ok && a > 0; a--) start[a] = start[a - 1];
  if (ok) start[0] = 0;
  if (ok) field->start = device_clone(m->device, start, sizeof *start * ((size_t)nodes + 1), error);
  if (ok) field->around = device_clone(m->device, around, sizeof *around * 4 * (size_t)tets, error);
  if (ok) field->tet = device_alloc(m->device, 2 * precision_size(m->precision) * (size_t)tets, error);
  ok = ok && field->start && field->around && field->tet;
  free(start);
  free(around);
  if (!ok) nodal_field_destroy(field);
  return ok;
}

void nodal_field_destroy(NodalField *field) {
  device_free(field->device, field->start);
  device_free(field->device, field->around);
  device_free(field->device, field->tet);
  *field = (NodalField){ 0 };
}

bool nodal_field_run(const NodalField *field, const Midpoint *m, FieldKind kind, double mu, double lambda, float *out,
                     Stream stream, Error *error) {
  for (int k = 0; field_operations[k]; k++)
    if (field_operations[k]->device == m->device && field_operations[k]->precision == m->precision)
      return field_operations[k]->run(field, m, kind, mu, lambda, out, stream, error);
  return error_set(error, "no fields on device %s", device_name(m->device));
}
