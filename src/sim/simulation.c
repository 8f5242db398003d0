// The simulation as the rest of the program moves it: pins, loads, grabs, settings, steps. See simulation.h.
#include "sim/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/material.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"

void simulation_set_floor(Simulation *w) {
  const SimulationSettings *s = &w->settings;
  w->body.midpoint.floor = (Floor){ .there = s->has_floor,
                                    .height = s->floor_height,
                                    .modulus = s->lambda + 2 * s->mu,
                                    .friction = s->friction };
}

bool simulation_reset(Simulation *w, Error *error) {
  w->touched++;
  w->step_count = w->steps_then = 0;
  w->newton.has_before = false;
  w->time_then = 0;
  return body_reset(&w->body, simulation_stream(w), error);
}

// `pinned` in the order inside, as one value for each unknown. free() releases it.
static uint8_t *fixed_unknowns(const Simulation *w, const uint8_t *pinned, Error *error) {
  const int n = 3 * w->mesh.node_count;
  uint8_t *fixed = array_new(n, 1, "pins", error);
  for (int i = 0; fixed && pinned && i < n; i++) fixed[i] = pin_holds(pinned[w->user_node[i / 3]], i % 3);
  return fixed;
}

bool simulation_set_pins(Simulation *w, const uint8_t *pinned, Error *error) {
  w->touched++;
  const Midpoint *m = &w->body.midpoint;
  uint8_t *fixed = fixed_unknowns(w, pinned, error);
  const bool ok =
      fixed && body_set_fixed(&w->body, fixed, simulation_stream(w), error) &&
      (!w->solver_fixed || (device_upload(w->newton.solver_stream, w->solver_fixed, fixed, (size_t)m->n, error) &&
                            stream_sync(w->newton.solver_stream, error)));
  free(fixed);
  return ok;
}

// load and gravity go to the body
static bool apply_load(Simulation *w, Error *error) {
  return body_set_load(&w->body, (const double(*)[3])w->load, w->settings.gravity, w->mass, simulation_stream(w),
                       error);
}

bool simulation_set_load(Simulation *w, const double (*force)[3], Error *error) {
  w->touched++;
  double(*ordered)[3] = array_new(w->mesh.node_count, sizeof *ordered, "forces", error);
  if (!ordered) return false;
  for (int a = 0; force && a < w->mesh.node_count; a++) memcpy(ordered[a], force[w->user_node[a]], sizeof *ordered);
  free(w->load);
  w->load = ordered;
  return apply_load(w, error);
}

// masses and momenta change, velocities stay
static bool set_density(Simulation *w, double heavier, Error *error) {
  double(*p)[3] = array_new(w->mesh.node_count, sizeof *p, "momenta", error);
  bool ok = p && body_state(&w->body, NULL, p, simulation_stream(w), error);
  for (int a = 0; ok && a < w->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) p[a][i] *= heavier;
  mesh_lumped_mass(&w->mesh, w->settings.density, w->mass);
  ok = ok && body_set_mass(&w->body, w->mass, simulation_stream(w), error) &&
       body_set_state(&w->body, NULL, (const double(*)[3])p, simulation_stream(w), error);
  free(p);
  return ok;
}

bool simulation_adjust(Simulation *w, const SimulationSettings *settings, Error *error) {
  w->touched++;
  SimulationSettings *s = &w->settings, changed = *s;
  changed.mu = settings->mu, changed.lambda = settings->lambda;
  changed.density = settings->density, changed.damping = settings->damping, changed.dt = settings->dt;
  changed.integrator = settings->integrator;
  memcpy(changed.gravity, settings->gravity, sizeof changed.gravity);
  changed.has_floor = settings->has_floor;
  changed.floor_height = settings->floor_height, changed.friction = settings->friction;
  changed.newton = settings->newton, changed.newton_max = settings->newton_max;
  changed.newton_absolute = settings->newton_absolute, changed.newton_relative = settings->newton_relative;
  changed.halvings_max = settings->halvings_max;
  if (!settings_check(&changed, error) || !range_check(&w->range, &changed, error)) return false;
  if (changed.dt != s->dt) w->time_then = simulation_time(w), w->steps_then = w->step_count;
  const double heavier = changed.density / s->density;
  const bool other_floor = changed.has_floor && (!s->has_floor || changed.floor_height != s->floor_height);
  if (changed.dt != s->dt || heavier != 1) w->newton.has_before = false;
  *s = changed;
  simulation_set_floor(w);
  if (other_floor && !w->body.operations->set_anchors(&w->body.midpoint, true, simulation_stream(w), error))
    return false;
  if (heavier != 1 && !set_density(w, heavier, error)) return false;
  return apply_load(w, error);
}

bool simulation_grab(Simulation *w, const double X[3], double radius, double stiffness, int *id, Error *error) {
  if (!(radius >= 0) || !(stiffness > 0) || !isfinite(stiffness))
    return error_set(error, "a grab of radius %g m and stiffness %g N/m: expected radius >= 0 and stiffness > 0",
                     radius, stiffness);
  if (!range_check_values(&stiffness, 1, w->settings.precision, "a grab's stiffness", "N/m", error)) return false;
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "displacements", error);
  if (!u) return false;
  const bool ok = body_state(&w->body, u, NULL, simulation_stream(w), error) &&
                  grabs_add(&w->grabs, &w->mesh, w->mass, (const double(*)[3])u, X, radius, stiffness, id, error);
  free(u);
  return ok;
}

bool simulation_drag(Simulation *w, int id, const double offset[3], Error *error) {
  if (!isfinite(offset[0] + offset[1] + offset[2])) return error_set(error, "a drag's offset is not finite");
  grabs_move(&w->grabs, id, offset);
  return true;
}

bool simulation_release(Simulation *w, int id, Error *error) {
  (void)error;
  grabs_release(&w->grabs, id);
  return true;
}

void simulation_keep_grabs(Simulation *w, int *ids, int count) {
  grabs_keep(&w->grabs, ids, count);
}

void simulation_grab_start(const Simulation *w, int id, int node, double x[3]) {
  int inside = 0;
  while (w->user_node[inside] != node) inside++;
  grabs_start(&w->grabs, id, inside, x);
  for (int i = 0; i < 3; i++) x[i] += w->mesh.X[inside][i];
}

bool simulation_grab_force(Simulation *w, int id, double force[3], Error *error) {
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "displacements", error);
  const bool ok = u && body_state(&w->body, u, NULL, simulation_stream(w), error);
  if (ok) grabs_force(&w->grabs, id, (const double(*)[3])u, force);
  free(u);
  return ok;
}

double simulation_mouse_stiffness(const Simulation *w) {
  const double mu = w->settings.mu, lambda = w->settings.lambda;
  const double young = young_modulus(mu, lambda);
  // a hundredth of what stretches a block of the body's size: stiff against fingers, soft against the whole
  return 0.01 * young * w->extent;
}

double simulation_mouse_speed(const Simulation *w) {
  return 0.5 * sqrt(w->settings.mu / w->settings.density);
}

// the springs that changed go to the device, with their targets `theta` of the way through the step
static bool update_springs(Simulation *w, double theta, Error *error) {
  int count;
  return grabs_list(&w->grabs, theta, simulation_stream(w), &count, error) &&
         w->body.operations->set_springs(&w->body.midpoint, w->grabs.node_dev, w->grabs.value_dev, count,
                                         simulation_stream(w), error);
}

// Which tet is the worst where Newton ended. Only after trouble: it reads the state back and looks at it here.
static bool diagnose(Simulation *w, StepReport *report, Error *error) {
  double(*u)[3] = array_new(w->mesh.node_count, sizeof *u, "state", error);
  const bool ok = u && body_iterate(&w->body, u, simulation_stream(w), error);
  int worst = 0;
  report->worst_J = HUGE_VAL;
  for (int e = 0; ok && e < w->mesh.tet_count; e++) {
    const double J = mesh_tet_J(&w->mesh, (const double(*)[3])u, e);
    if (J >= report->worst_J) continue;
    worst = e, report->worst_J = J;
    if (!isfinite(J)) break;
  }
  if (!isfinite(report->worst_J)) report->worst_J = NAN, report->cause = NEWTON_NOT_FINITE;
  for (int c = 0; c < 4; c++) report->worst_tags[c] = w->mesh.node_tag[w->mesh.tet[worst][c]];
  free(u);
  return ok;
}

bool simulation_equilibrium(Simulation *w, StepReport *report, Error *error) {
  w->touched++;
  return update_springs(w, 1, error) && newton_equilibrium(&w->newton, report, error) &&
         (report->converged || diagnose(w, report, error));
}

void newton_trouble_text(const StepReport *report, char *text, size_t size) {
  const int64_t *tag = report->worst_tags;
  snprintf(text, size, "%s; the tet with nodes %lld, %lld, %lld, %lld has det F = %.3g, the smallest",
           newton_cause_text(report->cause), (long long)tag[0], (long long)tag[1], (long long)tag[2], (long long)tag[3],
           report->worst_J);
}

// the step that was not taken: why, and where
static bool give_up(Simulation *w, StepReport *report, Error *error) {
  char trouble[400];
  Error second = { 0 };
  if (report->cause == NEWTON_STOPPED) return false;
  if (report->cause == NEWTON_CONVERGED || !diagnose(w, report, &second))
    return error_prefix(error, "step %lld", (long long)w->step_count + 1);
  newton_trouble_text(report, trouble, sizeof trouble);
  *error = (Error){ 0 };
  const char *advice = report->cause == NEWTON_NOT_FINITE    ? ""
                       : w->settings.newton == NEWTON_ROBUST ? "; a smaller dt or a stiffer material may pass"
                                                             : "; a smaller dt or newton \"robust\" may pass";
  return error_set(error, "step %lld: Newton gave up after %d iterations: %s. The state is that before the step%s",
                   (long long)w->step_count + 1, report->newton_iterations, trouble, advice);
}

bool simulation_internal_force(Simulation *w, double (*force)[3], Error *error) {
  double(*inside)[3] = array_new(w->mesh.node_count, sizeof *inside, "forces", error);
  const bool ok =
      inside && newton_forces(&w->newton, error) && body_force(&w->body, inside, simulation_stream(w), error);
  for (int a = 0; ok && a < w->mesh.node_count; a++) memcpy(force[w->user_node[a]], inside[a], sizeof *force);
  free(inside);
  return ok;
}

bool simulation_step(Simulation *w, StepReport *report, Error *error) {
  int span;
  w->touched += w->grabs.changed;
  if (!update_springs(w, simulation_integrator(&w->settings) == INTEGRATOR_MIDPOINT ? 0.5 : 1, error)) return false;
  if (!stage_begin(&w->clock, TIMED_STEP, simulation_stream(w), &span, error)) return false;
  if (!newton_step(&w->newton, w->settings.dt, report, error)) return give_up(w, report, error);
  if (!report->converged && !diagnose(w, report, error)) return false;
  if (!stage_end(&w->clock, span, simulation_stream(w), error)) return false;
  grabs_step_done(&w->grabs);
  w->step_count++;
  w->profile.steps++;
  w->profile.newton_iterations += report->newton_iterations;
  w->profile.cg_iterations += report->cg_iterations;
  return !w->clock.running || (stream_sync(simulation_stream(w), error) && stage_clock_collect(&w->clock, error));
}
