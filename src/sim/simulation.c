// Takes steps of a simulation, and changes its settings (simulation.h).
#include "sim/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/material_advice.h"
#include "sim/settings.h"
#include "sim/simulation_parts.h"
#include "sim/stage_choice.h"

bool simulation_check(const Simulation *w, const SimulationSettings *s, Error *error) {
  if (!settings_check(s, error) || !range_check(&w->range, s, error)) return false;

  const Stage *named = stage_find(STAGE_ASSEMBLY, s->assembly, s->device, s->precision, NULL);
  if (s->assembly[0] && named && ((const AssemblyMethod *)named)->compact && stages_auxetic(&w->space, s))
    return error_set(error,
                     "assembly \"%s\" does not support different Poisson's ratios of bodies if one is below 0; choose "
                     "another --assembly",
                     s->assembly);

  // A body may have its own Poisson's ratio, and so another lambda. Check also the smallest lambda of all bodies.
  SimulationSettings least = *s;
  least.lambda = w->range.ratio.low * s->mu;
  return !isfinite(least.lambda) || settings_check(&least, error) || error_prefix(error, "Poisson's ratio of a body");
}

// Sets the dampers of bodies whose damping coefficient differs from settings.damping. The force on each of their nodes
// is -difference * mass * velocity, in addition to the damping of the settings.
bool simulation_set_dampers(Simulation *w, Error *error) {
  const double *own = w->space.damping;
  if (!own) return true;
  double *damper = array_new(w->space.node_count, sizeof *damper, "nodes", error);
  for (int a = 0; damper && a < w->space.node_count; a++)
    damper[a] = isnan(own[a]) ? 0 : w->mass[a] * (own[a] - w->settings.damping);
  const bool ok = damper && grabs_set_dampers(&w->grabs, damper, error);
  free(damper);
  return ok;
}

bool simulation_begin_reset(Simulation *w, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  w->step_count = w->steps_then = 0;
  w->newton.has_before = w->newton.knows_start = false;
  w->time_then = 0;
  w->pushes = false;
  if (w->contact) contact_forget_friction(w->contact);
  return simulation_place_obstacles(w, 0, 0, error);
}

int simulation_state_ranges(const Simulation *w, MemoryRange ranges[SIMULATION_RANGES_MAX]) {
  _Static_assert((int)SIMULATION_RANGES_MAX >= (int)MOTION_RANGES_MAX, "a simulation has all arrays of its Motion");
  return w->arrays->zero_at_rest(w->motion, ranges);
}

bool simulation_end_reset(Simulation *w, Error *error) {
  MemoryRange ranges[SIMULATION_RANGES_MAX];
  const int used = simulation_state_ranges(w, ranges);
  for (int k = 0; k < used; k++)
    if (!device_zero(simulation_stream(w), ranges[k].memory, ranges[k].bytes, error)) return false;
  return true;
}

bool simulation_reset(Simulation *w, Error *error) {
  return simulation_begin_reset(w, error) && simulation_end_reset(w, error);
}

const char *simulation_reason(const Simulation *w, StageKind kind) {
  return kind == STAGE_ASSEMBLY ? w->assembly_reason : w->solver_reason;
}

bool simulation_set_masses(Simulation *w, Error *error) {
  MassMatrix *masses = &w->masses;
  if (w->settings.mass == MASS_LUMPED) return true;
  mass_matrix_destroy(masses);
  if (!mass_matrix_create(masses, &w->space, w->settings.density, error) ||
      !halo_refresh(w->halo, masses->diagonal, 1, error) ||
      !w->arrays->set_mass_matrix(w->motion, &w->space, masses, simulation_stream(w), error))
    return false;
  w->A.term =
      (OperatorTerm){ .apply = w->loops->apply_masses, .context = w->motion, .entries = w->loops->mass_entries };
  return true;
}

// Computes the consistent mass matrix for the density in the settings, which has changed. Then computes momenta from
// the present velocities, so that the velocities do not change.
static bool set_density_of_matrix(Simulation *w, Error *error) {
  double(*v)[3] = array_new(w->space.node_count, sizeof *v, "velocities", error);
  const bool ok = v && simulation_inside_velocities(w, v, error) && simulation_set_masses(w, error) &&
                  simulation_set_inside_velocities(w, (const double(*)[3])v, error);
  free(v);
  return ok;
}

// Computes masses and momenta for the changed density in the settings and for unchanged velocities. `heavier` is the
// new density divided by the old one.
static bool set_density(Simulation *w, double heavier, Error *error) {
  double(*p)[3] = array_new(w->space.node_count, sizeof *p, "momenta", error);
  bool ok = p && w->arrays->read(w->motion, MOTION_P, &p[0][0], simulation_stream(w), error);
  double *before = w->space.density ? array_new(w->space.node_count, sizeof *before, "nodal masses", error) : NULL;
  if (w->space.density && !before) ok = false;
  if (before) memcpy(before, w->mass, sizeof *before * (size_t)w->space.node_count);

  // Momenta change in proportion to the nodes' masses.
  space_lumped_mass(&w->space, w->settings.density, w->mass);
  ok = ok && halo_refresh(w->halo, w->mass, 1, error);
  for (int a = 0; ok && a < w->space.node_count; a++)
    for (int i = 0; i < 3; i++) p[a][i] *= before ? w->mass[a] / before[a] : heavier;
  free(before);

  space_weight(&w->space, w->settings.density, w->weight);
  ok = ok && halo_refresh(w->halo, w->weight, 1, error) &&
       w->arrays->write(w->motion, MOTION_MASS, w->mass, simulation_stream(w), error) &&
       (w->masses.diagonal ? set_density_of_matrix(w, error)
                           : w->arrays->write(w->motion, MOTION_P, &p[0][0], simulation_stream(w), error));
  free(p);
  return ok;
}

bool simulation_adjust(Simulation *w, const SimulationSettings *settings, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  SimulationSettings *s = &w->settings, changed = *s;
  options_copy(simulation_options, APPLIES_LIVE, &changed, settings);
  if (!simulation_check(w, &changed, error)) return false;

  // Times count from the last change of dt (simulation_time), so record time and step count here.
  if (changed.dt != s->dt) {
    w->time_then = simulation_time(w);
    w->steps_then = w->step_count;
  }

  const double heavier = changed.density / s->density;
  const bool other_ratio = w->space.ratio && (changed.lambda != s->lambda || changed.mu != s->mu);
  const bool other_floor = changed.has_floor && (!s->has_floor || changed.floor_height != s->floor_height);
  if (!simulation_change_floor(w, &changed, error)) return false;

  // BDF2 and the extrapolated first guess use the state before the last step, which is valid only for the same dt and
  // density.
  if (changed.dt != s->dt || heavier != 1) w->newton.has_before = false;

  *s = changed;
  w->newton_settings = settings_newton(s);
  simulation_set_floor(w);
  simulation_set_barrier(w);

  // Update data on the device that depend on the settings.
  if (other_floor && !w->loops->reset_anchors(w->motion, simulation_stream(w), error)) return false;
  if (heavier != 1 && !set_density(w, heavier, error)) return false;
  if (other_ratio && !simulation_set_floor_stiffness(w, error)) return false;
  if (!simulation_set_dampers(w, error)) return false;
  return simulation_apply_load(w, error);
}

// Returns det F of cell e at displacements u. For cells other than linear tets it is the smallest value at the
// integration points and the corners.
static double smallest_J(const Simulation *w, const double (*u)[3], int e) {
  if (w->space.shape == CELL_TET4) return space_cell_J(&w->space, u, e);
  const ElementRow *row = element_row(stages_shape(&w->space), w->settings.material, DEVICE_CPU, PRECISION_F64);
  double nodal[CELL_NODES_MAX][3], F[3 * CELL_NODES_MAX], material[MATERIAL_PARAMETERS];
  settings_material(&w->settings, material);
  for (int a = 0; a < w->space.cell_nodes; a++) memcpy(nodal[a], u[space_cell(&w->space, e)[a]], sizeof *nodal);
  return row->evaluate(&w->space, nodal, e, material, F, NULL);
}

// Used if the body is divided among processes: replaces the report's worst cell by the worst one of all processes. The
// worst cell has a det F that is not finite or, if there is none, the smallest det F.
static bool take_worst(const Simulation *w, StepReport *report, Error *error) {
  const double own = isfinite(report->worst_J) ? report->worst_J : -HUGE_VAL;
  double least = own, first;
  if (!w->halo) return true;
  if (!halo_smallest(w->halo, &least, error)) return false;
  first = own == least ? w->halo->ranks->rank : HUGE_VAL;
  if (!halo_smallest(w->halo, &first, error)) return false;
  double tags[8] = { 0 };
  for (int c = 0; c < report->worst_corners && w->halo->ranks->rank == (int)first; c++)
    tags[c] = (double)report->worst_tags[c];
  if (!halo_sum(w->halo, tags, report->worst_corners, error)) return false;
  for (int c = 0; c < report->worst_corners; c++) report->worst_tags[c] = (int64_t)tags[c];
  report->worst_J = least;
  return true;
}

// Finds the cell with the smallest det F in the last Newton iterate, for messages. This function copies the state to
// the host, so it is called only if Newton's method has not converged.
static bool diagnose(Simulation *w, StepReport *report, Error *error) {
  double(*u)[3] = array_new(w->space.node_count, sizeof *u, "state", error);
  bool ok = u && w->arrays->read(w->motion, MOTION_ITERATE, &u[0][0], simulation_stream(w), error);

  // Find the first cell with a det F that is not finite or, if there is none, the cell with the smallest det F.
  int worst = 0;
  report->worst_J = HUGE_VAL;
  for (int e = 0; ok && e < w->space.cell_count; e++) {
    const double J = smallest_J(w, (const double(*)[3])u, e);
    if (J >= report->worst_J) continue;
    worst = e;
    report->worst_J = J;
    if (!isfinite(J)) break;
  }

  free(u);
  report->worst_corners = cell_shape_info(w->space.shape)->corners;
  for (int c = 0; c < report->worst_corners; c++)
    report->worst_tags[c] = w->space.node_tag[space_cell(&w->space, worst)[c]];
  ok = ok && take_worst(w, report, error);
  if (!isfinite(report->worst_J)) {
    report->worst_J = NAN;
    report->cause = NEWTON_NOT_FINITE;
  }
  return ok;
}

bool simulation_equilibrium(Simulation *w, StepReport *report, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  w->touched++;
  if (!simulation_update_constraints(w, simulation_time(w), error)) return false;
  if (!simulation_copy_springs(w, 1, error)) return false;
  if (!w->newton_functions->equilibrium(&w->newton, report, error)) return false;
  return report->converged || diagnose(w, report, error);
}

// Returns false and sets the error of a failed step: the cause, the cell and advice.
static bool give_up(Simulation *w, StepReport *report, Error *error) {
  char trouble[400];
  Error second = { 0 };
  if (report->cause == NEWTON_STOPPED) return false;
  if (report->cause == NEWTON_CONVERGED || !diagnose(w, report, &second))
    return error_prefix(error, "step %lld", (long long)w->step_count + 1);

  newton_trouble_text(report, trouble, sizeof trouble);
  *error = (Error){ 0 };
  char material[MATERIAL_ADVICE] = "";
  if (report->cause != NEWTON_NOT_FINITE && report->cause != NEWTON_BLOCKED) material_advice(&w->settings, material);

  const char *advice = w->settings.newton == NEWTON_ROBUST ? "; a smaller dt or a stiffer material may help"
                                                           : "; a smaller dt or newton \"robust\" may help";
  if (report->cause == NEWTON_NOT_FINITE)
    advice = w->settings.precision == PRECISION_F32
                 ? "; precision double, smaller loads or a body nearer to the origin may help"
                 : "; smaller loads may help";
  return error_set(error,
                   "step %lld: Newton's method failed after %d iteration%s: %s. The previous state is restored%s%s",
                   (long long)w->step_count + 1, report->newton_iterations, report->newton_iterations == 1 ? "" : "s",
                   trouble, material, advice);
}

bool simulation_internal_force(Simulation *w, double (*force)[3], Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  double(*inside)[3] = array_new(w->space.node_count, sizeof *inside, "forces", error);
  const bool ok = inside && w->newton_functions->forces(&w->newton, error) &&
                  w->arrays->read(w->motion, MOTION_INTERNAL, &inside[0][0], simulation_stream(w), error);
  for (int a = 0; ok && a < w->space.node_count; a++) memcpy(force[w->user_node[a]], inside[a], sizeof *force);
  free(inside);
  return ok && simulation_complete(w, &force[0][0], 3, error);
}

bool simulation_begin_step(Simulation *w, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  const double now = simulation_time(w), next = simulation_next_time(w);
  const double theta = integrator_is_midpoint(simulation_integrator(&w->settings)) ? 0.5 : 1;

  // In the step after the end of a motion, the held nodes lose their kinetic energy, so it counts as a change too.
  const bool moves = supports_move(&w->supports, now, next) || supports_move(&w->supports, 2 * now - next, now);
  w->touched += w->grabs.changed || moves;

  // Copy the springs of grabs and the targets of constrained nodes to the device, if they have changed. Set positions
  // and velocities of obstacles for the step.
  return simulation_update_constraints(w, next, error) && simulation_copy_springs(w, theta, error) &&
         simulation_place_obstacles(w, now, next, error);
}

bool simulation_end_step(Simulation *w, StepReport *report, Error *error) {
  DEVICE_FLUSH_DENORMALS_HERE;
  int span;
  const double now = simulation_time(w), next = simulation_next_time(w);
  if (!stage_begin(&w->clock, TIMED_STEP, simulation_stream(w), &span, error)) return false;

  // Solve by Newton's method. On failure, obstacles return to their positions before the step.
  if (!w->newton_functions->step(&w->newton, w->settings.dt, report, error)) {
    Error second = { 0 };
    simulation_place_obstacles(w, now, now, &second);
    return give_up(w, report, error);
  }

  if (!report->converged && !diagnose(w, report, error)) return false;

  // Obstacles and the pushing ball stop at the end of the step.
  for (int i = 0; i < 3; i++) {
    w->push_from[i] += w->push_motion[i];
    w->push_motion[i] = 0;
  }
  if (!stage_end(&w->clock, span, simulation_stream(w), error) || !simulation_place_obstacles(w, next, next, error))
    return false;

  grabs_step_done(&w->grabs);
  w->last_substeps = report->substeps;
  w->last_damped = report->damped;
  w->step_count++;
  w->profile.steps++;
  w->profile.newton_iterations += report->newton_iterations;
  w->profile.cg_iterations += report->cg_iterations;
  return !w->clock.running || (stream_sync(simulation_stream(w), error) && stage_clock_collect(&w->clock, error));
}

bool simulation_step(Simulation *w, StepReport *report, Error *error) {
  return simulation_begin_step(w, error) && simulation_end_step(w, report, error);
}
