// Finds the equilibrium under a load by increasing the load in increments (load_path.h).
#include "sim/statics/load_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/material_advice.h"
#include "sim/settings.h"
#include "sim/statics/static_friction.h"

enum { HALVINGS_MAX = 10 };

// Data of a load path: the positions of the nodes in several states, and the present load.
typedef struct Walk {
  Simulation *simulation;
  const LoadPath *path;
  int nodes;
  // [nodes] m, positions of nodes in the initial state (start), in the last equilibrium but one (before), in the last
  // equilibrium (now), and in the state from which Newton's method starts (guess)
  double (*start)[3], (*before)[3], (*now)[3], (*guess)[3];
  double (*moved)[3], (*force)[3];  // [nodes]: prescribed displacements of pinned unknowns, m; loads, N
  double *pressure;                 // [faces], pressures at the present load factor, Pa
  // part of the error message about friction, written when the first increment after a success fails; may be empty
  char friction[300];
} Walk;

static bool allocate(Walk *w, Error *error) {
  double(**arrays[])[3] = { &w->start, &w->before, &w->now, &w->guess, &w->moved, &w->force };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (!(*arrays[k] = array_new(w->nodes, sizeof **arrays[k], "states of the load path", error))) return false;
  const PressureLoad *pressure = w->path->pressure;
  return !pressure || ((w->pressure = array_new(pressure->faces->count, sizeof *w->pressure, "pressures", error)) &&
                       simulation_set_pressure(w->simulation, pressure, error));
}

static void release(Walk *w) {
  free(w->start);
  free(w->before);
  free(w->now);
  free(w->guess);
  free(w->moved);
  free(w->force);
  free(w->pressure);
}

bool load_path_set_load(Simulation *simulation, const LoadPath *path, int node_count, double factor, double (*force)[3],
                        double *pressure, Error *error) {
  const PressureLoad *whole = path->pressure;
  for (int a = 0; a < node_count; a++)
    for (int i = 0; i < 3; i++) force[a][i] = path->force ? factor * path->force[a][i] : 0;
  for (int k = 0; whole && k < whole->faces->count; k++) pressure[k] = factor * whole->value[k];
  return simulation_set_load(simulation, (const double(*)[3])force, error) &&
         (!whole || simulation_change_pressure(simulation, pressure, error));
}

// Sets the load on the body to `factor` times the load at the end of the path.
static bool set_load(Walk *w, double factor, Error *error) {
  return load_path_set_load(w->simulation, w->path, w->nodes, factor, w->force, w->pressure, error);
}

// Computes w->moved, the prescribed displacements of pinned unknowns at a load factor.
static void find_moved(Walk *w, double factor) {
  for (int a = 0; a < w->nodes; a++)
    for (int i = 0; i < 3; i++) w->moved[a][i] = w->path->move ? factor * w->path->move[a][i] : 0;
  if (w->path->follow) w->path->follow(w->path->user, factor, w->moved);
}

// Solves for equilibrium at a load factor. Newton's method starts from the last equilibrium plus `ahead` times the
// difference between the last two equilibria. With self-contact it starts from the last equilibrium, since an
// extrapolated surface might intersect itself.
static bool try_factor(Walk *w, double factor, double ahead, StepReport *report, Error *error) {
  const LoadPath *path = w->path;
  if (simulation_settings(w->simulation)->self_contact) ahead = 0;
  find_moved(w, factor);
  for (int a = 0; a < w->nodes; a++)
    for (int i = 0; i < 3; i++) {
      const bool held = path->pinned && pin_holds(path->pinned[a], i);
      w->guess[a][i] = held ? w->start[a][i] + w->moved[a][i] : w->now[a][i] + ahead * (w->now[a][i] - w->before[a][i]);
    }
  if (!set_load(w, factor, error) ||
      !static_friction_solve(w->simulation, (const double(*)[3])w->now, (const double(*)[3])w->guess, report, error))
    return false;

  // A failed increment is tried again with half its size. Its error message needs w->friction, a clause about friction.
  // The message has the clause of the first failure, since the shorter increment may fail because of rounding.
  if (report->converged) w->friction[0] = '\0';
  return report->converged || w->friction[0] ||
         static_friction_text(w->simulation, w->friction, sizeof w->friction, error);
}

// Restores the last equilibrium with its load and its friction.
static bool go_back(Walk *w, double factor, Error *error) {
  const double(*now)[3] = (const double(*)[3])w->now;
  StepReport again;
  return set_load(w, factor, error) && static_friction_solve(w->simulation, now, now, &again, error);
}

// Ends a load path after an error, which is already set. Ctrl-C may end Newton's method in any iteration, so the last
// equilibrium is then restored. Newton's method would end at once in this if the request remained. Returns false.
static bool leave(Walk *w, const LoadPathReport *report) {
  Error second = { 0 };
  if (!interrupt_signal()) return false;
  interrupt_reset();
  go_back(w, report->factor, &second);
  return false;
}

// Ends a load path after an increment has failed although it was halved HALVINGS_MAX times. Restores the last
// equilibrium. Sets the error message and returns false.
static bool give_up(Walk *w, const LoadPathReport *report, const StepReport *failed, Error *error) {
  const SimulationSettings *s = simulation_settings(w->simulation);
  const bool single = s->precision == PRECISION_F32;
  char trouble[400], material[MATERIAL_ADVICE];
  material_advice(s, material);
  newton_trouble_text(failed, trouble, sizeof trouble);
  if (!go_back(w, report->factor, error)) return false;
  if (w->friction[0])
    return error_set(error, "no equilibrium found beyond %.6g times the full load: %s", report->factor, w->friction);

  // with self-contact, Walk.friction has named friction that cannot hold the body
  const bool slips = settings_rub(s) && !s->self_contact;
  return error_set(error,
                   "no equilibrium found beyond %.6g times the full load: %s. The body may %sbuckle at this load (use "
                   "--arc-length), or it needs a finer mesh%s%s",
                   report->factor, trouble, slips ? "slip, because friction cannot hold it, or " : "",
                   single ? " or precision double" : "", material);
}

// Applies the load in increments. Halves the increment after a failure; doubles it after a success, up to `whole`.
static bool walk(Walk *w, LoadPathReport *report, Error *error) {
  const double whole = 1.0 / w->path->increments;
  const size_t bytes = sizeof *w->now * (size_t)w->nodes;
  double size = whole, last = 0;
  if (!simulation_state(w->simulation, w->now, NULL, error)) return false;
  memcpy(w->start, w->now, bytes);
  memcpy(w->before, w->now, bytes);

  while (report->factor < 1) {
    StepReport step;
    const double left = 1 - report->factor, taken = left < 1.001 * size ? left : size;
    const double factor = taken == left ? 1 : report->factor + taken;
    if (!interrupt_check(error) || !try_factor(w, factor, last > 0 ? taken / last : 0, &step, error))
      return leave(w, report);

    report->newton_iterations += step.newton_iterations;
    report->cg_iterations += step.cg_iterations;

    // After a failure, halve the increment and try again.
    if (!step.converged) {
      report->halvings++;
      size = taken / 2;
      if (size >= whole * pow(0.5, HALVINGS_MAX)) continue;
      return give_up(w, report, &step, error);
    }

    // After a success, go on from the new equilibrium, and double the increment, up to the initial size.
    double(*swap)[3] = w->before;
    w->before = w->now;
    w->now = swap;
    if (!simulation_state(w->simulation, w->now, NULL, error)) return false;
    report->factor = factor;
    report->increments++;
    report->last = step;
    last = taken;
    size = fmin(2 * size, whole);
    if (w->path->reached && !w->path->reached(w->path->user, factor, &step, error)) return false;
  }
  return true;
}

bool load_path_run(Simulation *simulation, const TetMesh *mesh, const LoadPath *path, LoadPathReport *report,
                   Error *error) {
  Walk w = { .simulation = simulation, .path = path, .nodes = mesh->node_count };
  *report = (LoadPathReport){ 0 };
  const bool ok = (path->increments >= 1 ||
                   error_set(error, "the number of increments is %d, expected 1 or more", path->increments)) &&
                  allocate(&w, error) && walk(&w, report, error);
  release(&w);
  return ok;
}
