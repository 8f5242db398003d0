// Computes observables from step reports, energies and positions, and observables of patches of the surface: see
// observable_values.h.
#include "scene/observable_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/curved_volume.h"
#include "scene/observed_data.h"
#include "scene/patch.h"
#include "scene/session_script.h"
#include "sim/report/surface_distance.h"

// ---- reports of steps, energies, positions and distances

EVALUATE(observe_report_count) {
  (void)subject, (void)error;
  value[0] = *(const int *)((const char *)o->report + row->offset);
  return true;
}

EVALUATE(observe_report_flag) {
  (void)subject, (void)error;
  value[0] = *(const bool *)((const char *)o->report + row->offset);
  return true;
}

EVALUATE(observe_report_number) {
  (void)subject, (void)error;
  value[0] = *(const double *)((const char *)o->report + row->offset);
  return true;
}

EVALUATE(observe_energy_member) {
  (void)subject;
  if (!observed_need_energy(o, error)) return false;
  memcpy(value, (const char *)&o->energy + row->offset, sizeof *value * (size_t)row->size);
  return true;
}

EVALUATE(observe_total_energy) {
  (void)row, (void)subject;
  if (!observed_need_energy(o, error)) return false;
  value[0] = o->energy.kinetic + o->energy.elastic + o->energy.potential;
  return true;
}

// Computes the change of energy by the integrator, damping and friction since the first evaluation, J: see
// energy_budget.h.
EVALUATE(observe_energy_change) {
  (void)row, (void)subject;
  EnergyBudget *budget = &o->session->budget;
  if (!energy_budget_update(budget, o->session->simulation, &o->energy, error)) return false;
  o->has_energy = true;
  value[0] = budget->change;
  return true;
}

EVALUATE(observe_spin_change) {
  (void)row, (void)subject;
  EnergyBudget *budget = &o->session->budget;
  if (!o->has_spin && !energy_budget_update_spin(budget, o->session->simulation, error)) return false;
  value[0] = budget->spin_change;
  return true;
}

// Computes the potential energy of the body in gravity, J: minus the sum of mass * (gravity . displacement) over all
// nodes. mesh_weight computes the nodal masses.
EVALUATE(observe_gravitational_energy) {
  (void)row, (void)subject;
  const TetMesh *mesh = &o->session->mesh;
  const SimulationSettings *s = simulation_settings(o->session->simulation);
  double *weight = array_new(mesh->node_count, sizeof *weight, "nodal masses", error);
  const bool ok = weight && observed_need_positions(o, error);
  if (ok) mesh_weight(mesh, s->density, weight);
  for (int a = 0; ok && a < mesh->node_count; a++)
    for (int i = 0; i < 3; i++) value[0] -= weight[a] * s->gravity[i] * (o->x[a][i] - mesh->X[a][i]);
  free(weight);
  return ok;
}

// Computes the volume of the deformed body, m^3.
EVALUATE(observe_volume) {
  (void)row, (void)subject;
  if (!observed_need_positions(o, error)) return false;
  TetMesh now = o->session->mesh;
  now.X = o->x;
  return mesh_curved_volume(&now, value, error);
}

// Computes the position, m, of the node that has the number subject->tag in the mesh file. The position is NAN if
// tearing has removed the node.
EVALUATE(observe_node_position) {
  (void)row;
  const int node = mesh_find_node(&o->session->mesh, subject->tag);
  if (!observed_need_positions(o, error)) return false;
  for (int i = 0; i < 3; i++) value[i] = node < 0 ? NAN : o->x[node][i];
  return true;
}

EVALUATE(observe_region_centre) {
  (void)row;
  uint8_t *inside = o->session->inside;
  const int count = session_region(o->session, &subject->region, inside);
  if (!observed_need_positions(o, error)) return false;
  for (int a = 0; a < o->session->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) value[i] += inside[a] ? o->x[a][i] : 0;
  for (int i = 0; i < 3; i++) value[i] /= count;
  return true;
}

// Computes the distance, m, between the two bodies of a pair, or between the nodes of a body and an obstacle.
EVALUATE(observe_pair_distance) {
  (void)row;
  const Session *session = o->session;
  const SimulationSettings *s = simulation_settings(session->simulation);
  const int first = subject->body[0] < 0 ? 1 : 0, a = subject->body[first], b = subject->body[1 - first];
  if (!observed_need_positions(o, error)) return false;
  const double(*x)[3] = (const double(*)[3])o->x;
  if (b >= 0) return surface_distance(&session->mesh, &session->surface, x, a, b, value, error);
  Obstacle obstacle = { .kind = OBSTACLE_PLANE,
                        .centre = { 0, 0, s->floor_height },
                        .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  if (b != CONTACT_FLOOR) obstacle = s->obstacles[-1 - b];
  obstacle_place(&obstacle, o->time);
  value[0] = surface_distance_of_nodes(&session->mesh, &session->surface, x, a, &obstacle);
  return true;
}

// ---- patches of the surface

static bool find_faces(const Observed *o, const ObservedSubject *subject, Patch *patch, Error *error) {
  return patch_find(patch, &o->session->scene, &o->session->mesh, &subject->region, error);
}

EVALUATE(observe_patch_area) {
  (void)row;
  Patch patch;
  const bool ok = find_faces(o, subject, &patch, error);
  value[0] = patch.faces.count > 0 ? patch.area : NAN;
  patch_destroy(&patch);
  return ok;
}

EVALUATE(observe_patch_displacement) {
  (void)row;
  const TetMesh *mesh = &o->session->mesh;
  Patch patch;
  double rest[3];
  const bool ok = observed_need_positions(o, error) && find_faces(o, subject, &patch, error);
  if (!o->x) return false;
  if (ok) patch_mean(&patch, mesh, (const double(*)[3])o->x, value);
  if (ok) patch_mean(&patch, mesh, (const double(*)[3])mesh->X, rest);
  for (int i = 0; ok && i < 3; i++) value[i] -= rest[i];
  patch_destroy(&patch);
  return ok;
}

EVALUATE(observe_patch_velocity) {
  (void)row;
  const TetMesh *mesh = &o->session->mesh;
  Patch patch;
  double(*v)[3] = array_new(mesh->node_count, sizeof *v, "velocities", error);
  const bool ok = find_faces(o, subject, &patch, error) && v && simulation_velocities(o->session->simulation, v, error);
  if (ok) patch_mean(&patch, mesh, (const double(*)[3])v, value);
  patch_destroy(&patch);
  free(v);
  return ok;
}

// Computes the mean of a field over a patch: stress, Pa, or det F.
static bool mean_field(Observed *o, const ObservedSubject *subject, FieldKind field, double *value, Error *error) {
  Patch patch;
  if (!observed_need_positions(o, error)) return false;
  const bool ok = find_faces(o, subject, &patch, error) &&
                  patch_mean_field(&patch, &o->session->mesh, (const double(*)[3])o->x,
                                   simulation_settings(o->session->simulation), field, value, error);
  patch_destroy(&patch);
  return ok;
}

EVALUATE(observe_patch_von_mises) {
  (void)row;
  return mean_field(o, subject, FIELD_VON_MISES, value, error);
}

EVALUATE(observe_patch_principal) {
  (void)row;
  return mean_field(o, subject, FIELD_PRINCIPAL, value, error);
}

EVALUATE(observe_patch_J) {
  (void)row;
  return mean_field(o, subject, FIELD_J, value, error);
}

// Sums the contact forces, N, on the nodes of a patch (row->size 3), or the magnitudes of their normal parts.
EVALUATE(observe_patch_contact) {
  Patch patch;
  if (!observed_need_loads(o, error)) return false;
  const bool ok = find_faces(o, subject, &patch, error);
  for (int a = 0; ok && a < o->session->mesh.node_count; a++)
    for (int i = 0; patch.on[a] && i < row->size; i++) value[i] += row->size == 3 ? o->load[a][i] : o->push[a];
  for (int i = 0; ok && patch.faces.count == 0 && i < row->size; i++) value[i] = NAN;
  patch_destroy(&patch);
  return ok;
}
