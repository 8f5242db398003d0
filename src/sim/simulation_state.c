// What a simulation is in, read and written: see simulation.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/simulation_parts.h"

static double time_of(const Simulation *w, int64_t step) {
  return w->time_then + (double)(step - w->steps_then) * w->settings.dt;
}

double simulation_time(const Simulation *w) {
  return time_of(w, w->step_count);
}

double simulation_next_time(const Simulation *w) {
  return time_of(w, w->step_count + 1);
}

int64_t simulation_step_count(const Simulation *w) {
  return w->step_count;
}

const SimulationSettings *simulation_settings(const Simulation *w) {
  return &w->settings;
}

Stream simulation_stream(const Simulation *w) {
  return w->streams[w->settings.device];
}

// one vector of the state, in the user's order; positions where X is given
static bool ordered_state(Simulation *w, bool momenta, const double (*X)[3], double (*out)[3], Error *error) {
  double(*inside)[3] = array_new(w->mesh.node_count, sizeof *inside, "state", error);
  const bool ok =
      inside && body_state(&w->body, momenta ? NULL : inside, momenta ? inside : NULL, simulation_stream(w), error);
  for (int a = 0; ok && a < w->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) out[w->user_node[a]][i] = inside[a][i] + (X ? X[a][i] : 0);
  free(inside);
  return ok;
}

bool simulation_state(Simulation *w, double (*positions)[3], double (*momenta)[3], Error *error) {
  return (!positions || ordered_state(w, false, (const double(*)[3])w->mesh.X, positions, error)) &&
         (!momenta || ordered_state(w, true, NULL, momenta, error));
}

bool simulation_displacements(Simulation *w, double (*displacements)[3], Error *error) {
  return ordered_state(w, false, NULL, displacements, error);
}

bool simulation_set_state(Simulation *w, const double (*positions)[3], const double (*momenta)[3], Error *error) {
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "state", error);
  double(*p)[3] = array_new(w->mesh.node_count, sizeof *p, "state", error);
  bool ok = u && p;
  for (int a = 0; ok && a < w->mesh.node_count; a++) {
    for (int i = 0; positions && i < 3; i++) u[a][i] = positions[w->user_node[a]][i] - w->mesh.X[a][i];
    if (momenta) memcpy(p[a], momenta[w->user_node[a]], sizeof *p);
    for (int i = 0; i < 3; i++) ok = ok && isfinite(u[a][i] + p[a][i]);
    if (!ok) error_set(error, "the state of node %d is not finite", w->user_node[a]);
  }
  ok = ok && body_set_state(&w->body, positions ? (const double(*)[3])u : NULL, momenta ? (const double(*)[3])p : NULL,
                            simulation_stream(w), error);
  free(u);
  free(p);
  return ok;
}

bool simulation_save(Simulation *w, FILE *file, Error *error) {
  const int nodes = w->mesh.node_count;
  double(*inside)[3] = array_new(nodes, sizeof *inside, "state", error);
  double(*ordered)[3] = array_new(nodes, sizeof *ordered, "state", error);
  bool ok = inside && ordered;
  if (ok) {
    fwrite(&w->step_count, sizeof w->step_count, 1, file);
    fwrite(&w->steps_then, sizeof w->steps_then, 1, file);
    fwrite(&w->time_then, sizeof w->time_then, 1, file);
  }
  for (int momenta = 0; ok && momenta < 2; momenta++) {
    ok = body_state(&w->body, momenta ? NULL : inside, momenta ? inside : NULL, simulation_stream(w), error);
    for (int a = 0; ok && a < nodes; a++) memcpy(ordered[w->user_node[a]], inside[a], sizeof *inside);
    if (ok) fwrite(ordered, sizeof *ordered, (size_t)nodes, file);
  }
  ok = ok && body_normal(&w->body, &inside[0][0], simulation_stream(w), error);
  for (int a = 0; ok && a < nodes; a++) ordered[w->user_node[a]][0] = (&inside[0][0])[a];
  for (int a = 0; ok && a < nodes; a++) fwrite(ordered[a], sizeof(double), 1, file);
  if (ok) grabs_save(&w->grabs, w->user_node, file);
  free(inside);
  free(ordered);
  return ok;
}

bool simulation_restore(Simulation *w, Bytes *bytes, Error *error) {
  const int nodes = w->mesh.node_count;
  int64_t step_count, steps_then;
  double time_then;
  double(*inside)[3] = array_new(nodes, sizeof *inside, "state", error);
  int *place = array_new(nodes, sizeof *place, "node order", error);
  bool ok = inside && place;
  bytes_take(bytes, &step_count, sizeof step_count);
  bytes_take(bytes, &steps_then, sizeof steps_then);
  bytes_take(bytes, &time_then, sizeof time_then);
  for (int a = 0; ok && a < nodes; a++) place[w->user_node[a]] = a;
  for (int momenta = 0; ok && momenta < 2; momenta++) {
    const double(*state)[3] = (const double(*)[3])inside;
    for (int a = 0; a < nodes; a++) {
      double *value = inside[place[a]];
      bytes_take(bytes, value, sizeof *inside);
      ok = ok && isfinite(value[0] + value[1] + value[2]);
    }
    ok = ok && !bytes->short_of && step_count >= 0 && steps_then >= 0 && isfinite(time_then);
    if (!ok) error_set(error, "its state is not whole, or not finite");
    ok = ok && body_set_state(&w->body, momenta ? NULL : state, momenta ? state : NULL, simulation_stream(w), error);
  }
  for (int a = 0; ok && a < nodes; a++) {
    double *value = &inside[0][0] + place[a];
    bytes_take(bytes, value, sizeof *value);
    ok = !bytes->short_of && isfinite(*value);
    if (!ok) error_set(error, "its state is not whole, or not finite");
  }
  ok = ok && body_set_normal(&w->body, &inside[0][0], simulation_stream(w), error);
  ok = ok && grabs_restore(&w->grabs, place, bytes, error);
  if (ok) w->step_count = step_count, w->steps_then = steps_then, w->time_then = time_then;
  free(inside);
  free(place);
  return ok;
}

bool simulation_write_positions(Simulation *w, float *positions, Error *error) {
  return w->body.operations->positions(&w->body.midpoint, positions, simulation_stream(w), error);
}

bool simulation_write_field(Simulation *w, FieldKind kind, float *values, Error *error) {
  const SimulationSettings *s = &w->settings;
  if (!w->field.tet && !nodal_field_create(&w->field, &w->body.midpoint, &w->mesh, error)) return false;
  return nodal_field_run(&w->field, &w->body.midpoint, kind, s->mu, s->lambda, values, simulation_stream(w), error);
}

bool simulation_energy(Simulation *w, Energy *energy, Error *error) {
  const Midpoint *m = &w->body.midpoint;
  if (!w->body.operations->energy(m, w->settings.mu, w->settings.lambda, simulation_stream(w), error)) return false;
  if (!stream_sync(simulation_stream(w), error)) return false;
  energy->kinetic = m->energy_host[0];
  energy->elastic = m->energy_host[1];
  energy->potential = m->energy_host[8];
  memcpy(energy->linear, m->energy_host + 2, sizeof energy->linear);
  memcpy(energy->angular, m->energy_host + 5, sizeof energy->angular);
  return true;
}
