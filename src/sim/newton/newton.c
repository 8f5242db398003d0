// Takes one time step with the integrator of the settings (newton.h). If Newton's method (newton_loop.h) fails, the
// time step is repeated by backward Euler. If this fails too, the time step is divided into two halves, recursively.
// Steps of the integrator midpoint_energy are divided first, because backward Euler loses energy.
#include "sim/newton/newton.h"

#include <math.h>
#include <string.h>

#include "base/interrupt.h"
#include "sim/dynamics/energy_keep.h"
#include "sim/newton/newton_loop.h"
#include "sim/newton/part_friction.h"
#include "sim/newton/step_graph.h"
#include "sim/newton/step_recording.h"

// Copies the body's displacements, momenta and friction anchors (the positions at which nodes stick) to the backup or,
// if `back` is true, from the backup.
static bool copy_state(const Newton *w, bool back, Error *error) {
  const Motion *m = w->motion;
  const Iterate *it = &m->iterate;
  const size_t n = (size_t)m->body.n;
  real *const state[4] = { m->body.u, m->body.p, m->forces.anchor, m->forces.obstacle_anchor };
  real *const backup[4] = { it->u_backup, it->p_backup, it->anchor_backup, it->obstacle_anchor_backup };
  const size_t counts[4] = { n, n, m->forces.floor.present ? 2 * (size_t)m->body.node_count : 0,
                             n * (size_t)m->forces.obstacle_count };
  for (int k = 0; k < 4; k++)
    if (counts[k] && !device_copy(w->stream, back ? state[k] : backup[k], back ? backup[k] : state[k],
                                  sizeof(real) * counts[k], error))
      return false;
  if (m->forces.self) anchors_keep(&m->forces.self->anchors, back);
  if (m->forces.self && back) m->forces.self->settled = false;
  return true;
}

static bool back_up(const Newton *w, Error *error) {
  return copy_state(w, false, error);
}

static bool restore(const Newton *w, Error *error) {
  return copy_state(w, true, error);
}

// Corrects the momenta at the end of a time step, or of a part of a divided time step. u0, p0: displacements and
// momenta at the start of this time step or part. dt, s: its duration.
static bool correct(Newton *w, const TimeStep *step, double dt, const void *u0, const void *p0, Error *error) {
  const Motion *m = w->motion;
  if (newton_corrects(w) && !m->method->keep_momenta(m, step, dt, u0, p0, w->stream, error)) return false;
  return !newton_keeps_energy(w) ||
         m->method->keep_energy(m, step, w->settings->material, u0, p0, &w->energy_error, w->stream, error);
}

// Ends a time step, or a part of a divided time step, of duration dt, s: the result of Newton's method becomes the
// body's state. Fails if the outcome is OUTCOME_BROKEN: the residual is not finite, or a surface blocks a moving
// obstacle or a prescribed node. After OUTCOME_UNFINISHED, sets report->converged to false.
static bool finish(Newton *w, const TimeStep *step, double dt, NewtonOutcome outcome, StepReport *report,
                   Error *error) {
  const Motion *m = w->motion;
  const Iterate *it = &m->iterate;
  if (outcome == OUTCOME_BROKEN)
    return error_set(error, "Newton's method failed after %d iteration%s with dt = %g s: %s", report->newton_iterations,
                     report->newton_iterations == 1 ? "" : "s", dt, newton_cause_text(report->cause));
  if (outcome == OUTCOME_UNFINISHED) report->converged = false;
  w->elapsed += dt;
  if (m->forces.self && !newton_self_contact(w)->stick(m, w->stream, error)) return false;
  part_friction_end(m->forces.self);
  if (!newton_corrects(w) && !newton_keeps_energy(w)) return m->method->end_step(m, step, w->stream, error);

  // The correction needs the displacements and momenta at the start of this part. Copy them to the arrays `du` and
  // `shift`, which Newton's method does not need any more.
  const size_t bytes = sizeof(real) * (size_t)m->body.n;
  if (!device_copy(w->stream, it->du, m->body.u, bytes, error)) return false;
  if (!device_copy(w->stream, it->shift, m->body.p, bytes, error)) return false;
  if (!m->method->end_step(m, step, w->stream, error)) return false;
  return correct(w, step, dt, it->du, it->shift, error);
}

// Returns TimeStep.reach for the next part of a divided time step: the time at the end of this part divided by the
// duration of the whole step; 1 for the last part. dt, s, is the duration of the part.
static real reach_of(const Newton *w, double dt) {
  const double reach = (w->elapsed + dt) / w->whole_dt;
  return reach < 1 - 1e-6 ? (real)reach : (real)1;
}

static bool advance(Newton *w, double dt, int halvings, StepReport *report, Error *error);

// Advances the body by the time dt, s, in two parts of dt/2, which replace the part that was halved `halvings` times.
// `rounded` is the value of report->rounded at the start of this part.
static bool advance_halves(Newton *w, double dt, int halvings, int rounded, StepReport *report, Error *error) {
  report->rounded = rounded;
  report->substeps++;  // two parts replace this one, so there is one more part
  return advance(w, dt / 2, halvings + 1, report, error) && advance(w, dt / 2, halvings + 1, report, error);
}

// Advances the body by the time dt, s, with one backward Euler step. If Newton's method fails, advances twice by dt/2,
// if settings.newton and halvings_max allow this. `halvings` is the number of halvings of the time step that led to dt.
static bool advance_by_euler(Newton *w, double dt, int halvings, StepReport *report, Error *error) {
  TimeStep step = newton_euler_step(w, dt);
  step.begins = step.stuck = (real)w->elapsed;
  step.reach = reach_of(w, dt);
  const bool robust = w->settings->newton == NEWTON_ROBUST;
  const int rounded = report->rounded;
  NewtonOutcome outcome;
  if (!newton_turn_back(w, &step, error) ||
      !REAL_NAME(part_friction_iterate)(w, &step, halvings == 0, report, &outcome, error))
    return false;
  if (outcome != OUTCOME_CONVERGED && robust && halvings < w->settings->halvings_max)
    return advance_halves(w, dt, halvings, rounded, report, error);
  w->by_euler = true;
  const bool ok = finish(w, &step, dt, outcome, report, error);
  w->by_euler = false;
  return ok;
}

// Advances the body by the time dt, s, with backward Euler, after another integrator has failed. Counts this part in
// report->damped, unless backward Euler fails too and the part is divided.
static bool advance_damped(Newton *w, double dt, int halvings, StepReport *report, Error *error) {
  const int parts = report->substeps;
  if (!advance_by_euler(w, dt, halvings, report, error)) return false;
  report->damped += report->substeps == parts;
  return true;
}

// Returns true if a part of a step of midpoint_energy may be halved. A part is halved up to ENERGY_HALVINGS_MAX times,
// but the step has not many more parts than with halvings_max halvings of each part.
static bool may_halve(const Newton *w, int halvings, const StepReport *report) {
  const int most = w->settings->halvings_max;
  return most > 0 && halvings < ENERGY_HALVINGS_MAX && report->substeps < 1 << most;
}

// Repeats a part of duration dt, s, after a step of midpoint_energy whose error of the energy could not be corrected.
// The part is repeated in two halves, whose errors are smaller. If it must not be halved any more, backward Euler
// repeats it if it gained much energy; otherwise its result is kept. u0, p0: state at the start of the part. rounded:
// see advance_halves.
static bool repeat_part(Newton *w, double dt, int halvings, const void *u0, const void *p0, int rounded,
                        StepReport *report, Error *error) {
  const Body *body = &w->motion->body;
  const size_t bytes = sizeof(real) * (size_t)body->n;
  const bool halves = may_halve(w, halvings, report);
  if (!halves && w->energy_error <= fabs(w->energy_owed) + ENERGY_GAIN_MAX) {
    w->energy_owed = w->energy_error;
    return true;
  }
  w->elapsed -= dt;
  return device_copy(w->stream, body->u, u0, bytes, error) && device_copy(w->stream, body->p, p0, bytes, error) &&
         (halves ? advance_halves(w, dt, halvings, rounded, report, error)
                 : advance_damped(w, dt, halvings, report, error));
}

// Repeats a whole time step with backward Euler, because the step has gained energy or has a wrong momentum. Begins at
// the backup of the state at the start of the step.
static bool repeat_by_euler(Newton *w, double dt, StepReport *report, Error *error) {
  report->damped++;
  report->rounded = 0;
  w->elapsed = 0;
  return restore(w, error) && advance_by_euler(w, dt, 0, report, error);
}

// Returns true if rounding errors spoil a step of BDF2 or the midpoint rule of a free body in a scene with contact.
// Such a step changes the momenta by the residual, so the body would drift, stop or gain energy. With backward Euler, a
// correction of the momenta removes this error (spin.h). Without contact, every integrator has this correction. The
// comparison is with the sum of two norms, since one of them vanishes twice in each period of a vibration: the momenta
// are 0 when the body is stretched most, and the internal impulses when it is not stretched.
static bool is_spoiled(const Newton *w, const StepReport *report) {
  const double RESIDUAL_MAX = 0.01;  // largest residual of a good step, as a fraction of the two norms
  const NewtonSettings *s = w->settings;
  return report->rounded > 0 && s->newton == NEWTON_ROBUST && !integrator_is_euler(s->integrator) &&
         !newton_corrects(w) && !w->motion->body.any_held &&
         report->residual > RESIDUAL_MAX * (w->last.momentum + w->last.internal);
}

// Computes energies of the body's present state, J: *inner = kinetic + elastic, *total = *inner + potential. Waits for
// the device.
static bool total_energy(const Newton *w, double *total, double *inner, Error *error) {
  Energy e;
  if (!w->motion->method->energy(w->motion, w->settings->material, &e, w->stream, error)) return false;
  *inner = e.kinetic + e.elastic;
  *total = *inner + e.potential;
  return true;
}

// Data to check that a time step with contact gains no energy. A time step that gains energy is repeated by backward
// Euler, with which the energy cannot increase. BDF2 may gain energy, since it extrapolates an impact into the next
// steps. The midpoint rule may gain energy in stiff bodies, since it does not damp rounding errors. In soft bodies the
// energy with the midpoint rule oscillates without harm, so `swing` allows small gains.
typedef struct EnergyWatch {
  bool on;                 // true: this time step is checked
  double swing;            // largest accepted gain, as a fraction of `inner`
  double at_start, inner;  // J, at the start of the time step. at_start: total energy; inner: kinetic plus elastic
                           // energy
} EnergyWatch;

static bool watch_begin(const Newton *w, EnergyWatch *watch, Error *error) {
  return !watch->on || total_energy(w, &watch->at_start, &watch->inner, error);
}

static bool watch_end(const Newton *w, const EnergyWatch *watch, bool *gained, Error *error) {
  double at_end = 0, ignored;
  if (watch->on && !total_energy(w, &at_end, &ignored, error)) return false;
  *gained = !(at_end <= watch->at_start + watch->swing * watch->inner);
  return true;
}

// Sets *step to the coefficients of the midpoint rule or, with `two_steps`, of BDF2:
//   x1 = e + 2/3 dt v1,   e = (4 x0 - x_before)/3
// Positions x_before and x0 are at the start of the previous step and of this step; x1 and v1 are positions and
// velocities at the end of this step. So BDF2 is a backward Euler step of 2/3 dt from the extrapolated state e. With
// `two_steps`, the function replaces the body's state by e.
static bool begin_integrator(Newton *w, double dt, bool two_steps, TimeStep *step, Error *error) {
  const double damping = w->settings->damping;
  *step = two_steps ? euler_step(dt * 2 / 3, damping) : midpoint_step(dt, damping);
  step->stuck = two_steps ? 0 : (real)w->elapsed;
  step->begins = two_steps ? (real)(dt / 3) : (real)w->elapsed;
  step->reach = reach_of(w, dt);
  return !two_steps || w->motion->method->extrapolate(w->motion, step, w->stream, error);
}

// Returns true if self-contact is the only contact of the scene, and no pair touches in the last two iterates.
static bool ends_apart(const Newton *w) {
  const Forces *forces = &w->motion->forces;
  return forces->self && !has_contact(forces) && !newton_self_contact(w)->touched(w->motion);
}

// Advances the body by the time dt, s, with the integrator of the settings; if this fails, with backward Euler; if this
// fails too, in two halves of dt. With midpoint_energy, it tries two halves before backward Euler. BDF2 needs the state
// at the start of the previous time step, which must have had the same duration. If there is no such state, make_before
// computes one from the present velocity.
static bool advance(Newton *w, double dt, int halvings, StepReport *report, Error *error) {
  const bool robust = w->settings->newton == NEWTON_ROBUST;
  const Integrator integrator = w->settings->integrator;
  const bool two_steps = integrator == INTEGRATOR_BDF2 && halvings == 0;
  const bool contact = has_contact(&w->motion->forces) || w->motion->forces.self;
  if (integrator_is_euler(integrator) || (integrator == INTEGRATOR_BDF2 && !two_steps))
    return advance_by_euler(w, dt, halvings, report, error);

  // with contact, parts of a divided step use backward Euler, since the check for gained energy covers only whole steps
  if (contact && halvings > 0) return advance_damped(w, dt, halvings, report, error);

  const int rounded = report->rounded;
  TimeStep step;
  NewtonOutcome outcome;
  EnergyWatch watch = { .on = robust && contact && halvings == 0, .swing = two_steps ? 0 : 0.01 };
  if (two_steps && !w->has_before && !w->motion->method->make_before(w->motion, dt, w->stream, error)) return false;
  if (!watch_begin(w, &watch, error) || !begin_integrator(w, dt, two_steps, &step, error)) return false;
  w->extrapolated = two_steps;
  w->tries = watch.on;
  const bool ran = REAL_NAME(part_friction_iterate)(w, &step, halvings == 0, report, &outcome, error);
  w->extrapolated = w->tries = false;
  if (!ran) return false;
  if (outcome != OUTCOME_CONVERGED && robust) {
    if (newton_keeps_energy(w) && may_halve(w, halvings, report))
      return advance_halves(w, dt, halvings, rounded, report, error);
    return (!two_steps || restore(w, error)) && advance_damped(w, dt, halvings, report, error);
  }

  w->last = *w->motion->iterate.norms_host;
  w->apart = ends_apart(w);
  if (is_spoiled(w, report)) {
    report->rounded = rounded;
    return (!two_steps || restore(w, error)) && advance_damped(w, dt, halvings, report, error);
  }
  bool gained;
  w->energy_error = w->energy_owed;
  if (!finish(w, &step, dt, outcome, report, error) || !watch_end(w, &watch, &gained, error)) return false;
  const Iterate *it = &w->motion->iterate;  // finish has copied the state at the start to du and shift
  if (robust && energy_repeats(w->energy_error, w->energy_owed))
    return repeat_part(w, dt, halvings, it->du, it->shift, rounded, report, error);
  w->energy_owed = w->energy_error;
  return !gained || repeat_by_euler(w, dt, report, error);
}

// Keeps the state at the start of this time step as u_before and p_before, since BDF2 and the extrapolated first guess
// need it in the next step.
static bool keep_before(Newton *w, const StepReport *report, Error *error) {
  const Iterate *it = &w->motion->iterate;
  const size_t bytes = sizeof(real) * (size_t)w->motion->body.n;
  if (w->settings->integrator != INTEGRATOR_BDF2 && w->settings->first_guess != FIRST_GUESS_EXTRAPOLATED) {
    w->has_before = false;
    return true;
  }
  w->has_before = report->substeps == 1;
  return device_copy(w->stream, it->u_before, it->u_backup, bytes, error) &&
         device_copy(w->stream, it->p_before, it->p_backup, bytes, error);
}

// Prepares a time step that the host takes, or the rest of a time step that a CUDA graph has begun on the GPU
// (w->left).
static bool begin_on_host(Newton *w, Error *error) {
  if (w->left && w->left->next != NEXT_LINE_SEARCH)
    // if the graph accepted its last trial, this trial is the present iterate
    accept_trial(&w->motion->iterate);
  // back up the state at the start of the whole step; a failure restores this state
  return w->left || back_up(w, error);
}

// Ends a whole time step: keeps the state at its start if the next step needs it (keep_before), and moves the origin of
// displacements with the body (move_origin in motion.h). If `followed` is true, the GPU has already moved the origin.
static bool end_whole_step(Newton *w, const StepReport *report, bool followed, Error *error) {
  Motion *m = w->motion;
  // CUDA graphs contain the addresses of the arrays u1 and trial, which accept_trial swaps. After an odd number of
  // swaps, one more swap restores the addresses. After a failed step, u1 must stay the last iterate, which
  // MOTION_ITERATE reads.
  if (report->converged && m->iterate.u1 > m->iterate.trial) accept_trial(&m->iterate);
  return keep_before(w, report, error) &&
         (followed || !newton_moves_origin(m) || m->method->move_origin(m, w->stream, error));
}

// Restores the state at the start of a time step that failed. Returns false; the caller's error stays unchanged.
static bool undo(Newton *w, StepReport *report) {
  Error ignored = { 0 };
  if (interrupt_requested()) report->cause = NEWTON_STOPPED;
  part_friction_end(w->motion->forces.self);
  restore(w, &ignored);
  return false;
}

bool REAL_NAME(newton_run_prelude)(Newton *w, Error *error) {
  if (!w->prelude || w->prelude_ran) return true;
  w->prelude_ran = true;
  return graph_launch(w->prelude, w->stream, error);
}

// Takes a whole time step: as a CUDA graph on the GPU if possible, else by the loop on the host. If the GPU has already
// taken this step together with the steps of other bodies (w->taken), only completes the step.
static bool newton_step(Newton *w, double dt, StepReport *report, Error *error) {
  const NewtonProgress *taken = w->taken;
  bool done;
  w->taken = NULL;
  *report = (StepReport){ .substeps = 1, .converged = true };
  w->left = NULL;
  w->knows_start = false;
  w->prelude_ran = taken != NULL;  // the caller has run it before the GPU took the steps of several bodies
  w->apart = false;
  w->energy_owed = 0;
  w->elapsed = 0;
  w->whole_dt = dt;
  w->follows_part = part_friction_follows(w->motion->forces.self, dt);

  if (!taken && !REAL_NAME(spin_find_pieces)(w->motion, w->space, w->stream, error)) return false;
  const TimeStep whole = newton_whole_step(w, dt);
  if (taken)
    REAL_NAME(step_graph_receive)(w, taken, &done, report);
  else if (w->follows_part)
    done = false;  // a graph cannot solve the passes of part_friction.h
  else if (!REAL_NAME(step_graph_take)(w, dt, &done, report, error))
    return undo(w, report);
  if (!done && (!REAL_NAME(newton_run_prelude)(w, error) || !begin_on_host(w, error))) return false;
  if (!done && !advance(w, dt, 0, report, error)) return undo(w, report);

  const Motion *m = w->motion;
  const Iterate *it = &m->iterate;
  const bool robust = w->settings->newton == NEWTON_ROBUST;
  if (done && is_spoiled(w, report)) {
    if (!repeat_by_euler(w, dt, report, error)) return undo(w, report);
    done = false;
  }

  // if the GPU has taken this step together with other bodies (`taken`), it has corrected the momenta, and the caller
  // has set w->energy_error
  if (done && !taken) w->energy_error = 0;
  if (done && !taken && !correct(w, &whole, dt, it->u_backup, it->p_backup, error)) return undo(w, report);
  const bool repeats = done && robust && energy_repeats(w->energy_error, 0);
  if (repeats) w->elapsed = dt;
  if (repeats && !repeat_part(w, dt, 0, it->u_backup, it->p_backup, 0, report, error)) return undo(w, report);
  w->knows_start = true;
  return end_whole_step(w, report, taken && done && !repeats, error);
}

// Runs Newton's method for static equilibrium with full Newton steps. If it does not converge, restores the state, and
// *found is false. When a slender body bends, the first iterates stretch it and increase the residual by orders of
// magnitude. A line search would refuse these iterates and need hundreds of iterations; full Newton steps need about
// five. Full steps need exact linear solves, so they are tried only with a direct solver.
static bool try_full_steps(Newton *w, const TimeStep *step, bool *found, StepReport *report, Error *error) {
  enum { ITERATIONS_MAX = 12 };
  const Forces *forces = &w->motion->forces;
  const NewtonSettings *settings = w->settings;
  NewtonSettings plain = *settings;
  NewtonOutcome outcome;
  *found = false;
  if (w->solver->method->precondition != PRECONDITION_DIRECT || settings->newton != NEWTON_ROBUST) return true;
  if (has_contact(forces) || forces->self) return true;

  plain.newton = NEWTON_PLAIN;
  plain.newton_max = ITERATIONS_MAX < plain.newton_max ? ITERATIONS_MAX : plain.newton_max;
  w->settings = &plain;
  const bool ran = REAL_NAME(newton_iterate)(w, step, false, report, &outcome, error);
  w->settings = settings;
  if (!ran) return false;
  *found = outcome == OUTCOME_CONVERGED && report->min_J > 0;
  return *found || restore(w, error);
}

static bool newton_equilibrium(Newton *w, StepReport *report, Error *error) {
  const TimeStep step = static_step();
  const Body *body = &w->motion->body;
  bool found;
  NewtonOutcome outcome = OUTCOME_CONVERGED;
  *report = (StepReport){ .substeps = 1 };
  w->has_before = w->knows_start = false;
  if (!back_up(w, error) || !device_zero(w->stream, body->p, sizeof(real) * (size_t)body->n, error) ||
      !try_full_steps(w, &step, &found, report, error) ||
      (!found && !REAL_NAME(newton_iterate)(w, &step, false, report, &outcome, error)))
    return undo(w, report);
  report->converged = outcome == OUTCOME_CONVERGED;
  if (!report->converged) return restore(w, error);
  if (w->motion->forces.self && !newton_self_contact(w)->stick(w->motion, w->stream, error)) return false;
  return w->motion->method->end_step(w->motion, &step, w->stream, error);
}

// Creates all transfers, the members of Newton from `nodal` to `theta_u`. Each passes a vector from the stage (body,
// assembly or solver) that writes it to the stage that reads it. `coarse` is true if the preconditioner has a coarse
// space, which reads Iterate.u_theta.
static bool pass_on(Newton *w, bool coarse, Error *error) {
  const Motion *m = w->motion;
  const Iterate *it = &m->iterate;
  const Device body = m->body.device, assembly = w->assembly_stream.device, solver = w->solver_stream.device;
  const size_t bytes = sizeof(real) * (size_t)m->body.n, cross = 3 * sizeof(real) * (size_t)m->body.node_count;
  const size_t J = sizeof(real) * (size_t)w->assembly->min_J_count, slots = sizeof(real) * (size_t)w->A->value_count;
  if (!transfer_from(&w->nodal, body, it->nodal, assembly, bytes, error)) return false;
  if (!transfer_to(&w->internal, assembly, body, it->internal, bytes, error)) return false;
  if (!transfer_from(&w->min_J, assembly, w->assembly->min_J, body, J, error)) return false;
  if (operator_stores(w->A) ? !transfer_to(&w->values, assembly, solver, w->A->values, slots, error)
                            : !transfer_from(&w->linearised, body, it->nodal, solver, bytes, error))
    return false;
  if (!transfer_from(&w->shift, body, it->shift, solver, bytes + cross, error)) return false;
  if (!transfer_to(&w->diagonal, solver, body, it->diagonal, bytes, error)) return false;
  if (!transfer_from(&w->residual, body, it->residual, solver, bytes, error)) return false;
  if (coarse && !transfer_from(&w->theta_u, body, it->u_theta, solver, bytes, error)) return false;
  if (!transfer_to(&w->du, solver, body, it->du, bytes, error)) return false;
  w->solver_held = solver == body ? m->body.held : device_alloc(solver, (size_t)m->body.n, error);
  return w->solver_held;
}

static SolverSystem system_of(const Newton *w) {
  return (SolverSystem){ .A = w->A,
                         .fixed = w->solver_held,
                         .b = w->residual.to,
                         .x = w->du.from,
                         .relative = w->settings->cg_relative,
                         .iterations_max = w->settings->cg_max,
                         .u = w->theta_u.to };
}

static bool connect(Newton *w, const SolverMethod *method, const SolverMethod *alone, Error *error) {
  if (!pass_on(w, solver_is_coarse(method), error)) return false;
  const SolverSystem system = system_of(w);
  return solver_create(w->solver, method, &system, w->solver_stream, error) &&
         (!alone || solver_create(w->alone, alone, &system, w->solver_stream, error));
}

// Connects body, assembly and solver again after their arrays were reallocated. Cannot fail, because all of them are on
// one device, so that no memory is allocated.
static void reconnect(Newton *w) {
  Error ignored = { 0 };
  REAL_NAME(step_graph_forget)(w);
  pass_on(w, w->theta_u.to != NULL, &ignored);
  w->whole->system = system_of(w);
  if (w->alone) w->alone->system = w->whole->system;
}

static void disconnect(Newton *w) {
  REAL_NAME(step_graph_destroy)(w);
  Transfer *transfers[] = { &w->nodal,    &w->internal, &w->min_J, &w->values,     &w->shift,
                            &w->diagonal, &w->residual, &w->du,    &w->linearised, &w->theta_u };
  for (size_t k = 0; k < sizeof transfers / sizeof *transfers; k++) transfer_destroy(transfers[k]);
  if (w->motion && w->solver_held != w->motion->body.held) device_free(w->solver_stream.device, w->solver_held);
  w->solver_held = NULL;
}

static bool set_held(Newton *w, const uint8_t *held, Error *error) {
  Body *body = &w->motion->body;
  body->any_held = body->any_moved = false;
  for (int i = 0; i < body->n; i++) {
    body->any_held = body->any_held || held[i];
    body->any_moved = body->any_moved || held[i] == HELD_MOVED;
  }

  // all processes must take equal decisions, so each flag is set if it is set in any process
  double any[2] = { body->any_held, body->any_moved };
  if (!halo_sum(w->motion->halo, any, 2, error)) return false;
  body->any_held = any[0] > 0;
  body->any_moved = any[1] > 0;
  return device_upload(w->stream, body->held, held, (size_t)body->n, error) && stream_sync(w->stream, error) &&
         (w->solver_held == body->held ||
          (device_upload(w->solver_stream, w->solver_held, held, (size_t)body->n, error) &&
           stream_sync(w->solver_stream, error)));
}

const NewtonFunctions REAL_NAME(newton) = {
  .connect = connect,
  .disconnect = disconnect,
  .reconnect = reconnect,
  .set_held = set_held,
  .step = newton_step,
  .equilibrium = newton_equilibrium,
  .forces = REAL_NAME(newton_forces),
  .tangent = REAL_NAME(newton_tangent),
};
