// Specimens: see specimen.h.
#include "verify/specimen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/moduli.h"

bool specimen_box(Specimen *s, const SimulationSettings *stages, const int cells[3], const double size[3], double young,
                  double poisson, double density, Error *error) {
  *s = (Specimen){ .settings = *stages, .young = young };
  memcpy(s->size, size, sizeof s->size);
  SimulationSettings *t = &s->settings;
  t->mu = lame_mu(young, poisson);
  t->lambda = lame_lambda(young, poisson);
  t->density = density;
  t->damping = 0;
  memset(t->gravity, 0, sizeof t->gravity);
  t->newton = NEWTON_ROBUST;
  t->newton_absolute = 0;
  t->newton_max = 50;
  t->newton_relative = t->precision == PRECISION_F64 ? 1e-11 : 1e-6;
  t->cg_relative = t->precision == PRECISION_F64 ? 1e-10 : 1e-5;
  t->cg_max = 100000;
  if (!mesh_make_box(cells[0], cells[1], cells[2], size, &s->mesh, error)) return false;
  const int nodes = s->mesh.node_count;
  s->pinned = array_new(nodes, sizeof *s->pinned, "pins", error);
  s->mass = array_new(nodes, sizeof *s->mass, "masses", error);
  s->x = array_new(nodes, sizeof *s->x, "positions", error);
  s->p = array_new(nodes, sizeof *s->p, "momenta", error);
  s->f = array_new(nodes, sizeof *s->f, "forces", error);
  if (!s->pinned || !s->mass || !s->x || !s->p || !s->f) return false;
  mesh_lumped_mass(&s->mesh, density, s->mass);
  memcpy(s->x, s->mesh.X, sizeof *s->x * (size_t)nodes);
  return true;
}

void specimen_destroy(Specimen *s) {
  simulation_destroy(s->simulation);
  mesh_destroy(&s->mesh);
  free(s->pinned), free(s->mass), free(s->x), free(s->p), free(s->f);
  *s = (Specimen){ 0 };
}

bool specimen_start(Specimen *s, Error *error) {
  simulation_destroy(s->simulation);
  s->simulation = NULL;
  return simulation_create(&s->simulation, &s->mesh, &s->settings, s->pinned, error);
}

bool specimen_load(Specimen *s, int increments, Error *error) {
  const int nodes = s->mesh.node_count;
  LoadPathReport report;
  double(*move)[3] = array_new(nodes, sizeof *move, "moves", error);
  double(*from)[3] = array_new(nodes, sizeof *from, "positions", error);
  bool ok = move && from && simulation_state(s->simulation, from, NULL, error);
  for (int a = 0; ok && a < nodes; a++)
    for (int i = 0; i < 3; i++) move[a][i] = s->x[a][i] - from[a][i];
  const LoadPath path = {
    .increments = increments, .force = (const double(*)[3])s->f, .move = (const double(*)[3])move, .pinned = s->pinned
  };
  ok = ok && load_path_run(s->simulation, &s->mesh, &path, &report, error) &&
       simulation_state(s->simulation, s->x, NULL, error);
  free(move);
  free(from);
  return ok;
}

bool specimen_mean_stress(Specimen *s, double P[3][3], Error *error) {
  if (!simulation_internal_force(s->simulation, s->f, error)) return false;
  const double volume = s->size[0] * s->size[1] * s->size[2];
  memset(P, 0, 9 * sizeof(double));
  for (int a = 0; a < s->mesh.node_count; a++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) P[i][k] += s->f[a][i] * s->mesh.X[a][k] / volume;
  return true;
}

bool specimen_on_face(const Specimen *s, int a, int axis, int end) {
  return fabs(s->mesh.X[a][axis] - end * s->size[axis]) < 1e-9 * s->size[axis];
}

double bound_in(const SimulationSettings *stages, double in_double, double in_float) {
  return stages->precision == PRECISION_F64 ? in_double : in_float;
}

Richardson richardson(const double r[3]) {
  const double ratio = (r[1] - r[0]) / (r[2] - r[1]);
  const Richardson answer = { log2(ratio), r[2] + (r[2] - r[1]) / (ratio - 1) };
  return answer;
}
