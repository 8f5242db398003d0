// What the twins of a nodal field share: the lists of tets around nodes, and which twins there are. See nodal_field.h.
#include "mesh/stars.h"
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
  const size_t nodes = (size_t)mesh->node_count, tets = (size_t)mesh->tet_count;
  Stars stars;
  *field = (NodalField){ .device = m->device };
  if (!stars_create(&stars, mesh, error)) return false;
  field->start = device_clone(m->device, stars.start, sizeof *stars.start * (nodes + 1), error);
  field->around = device_clone(m->device, stars.tet, sizeof *stars.tet * 4 * tets, error);
  field->tet = device_alloc(m->device, 2 * precision_size(m->precision) * tets, error);
  stars_destroy(&stars);
  if (field->start && field->around && field->tet) return true;
  nodal_field_destroy(field);
  return false;
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
