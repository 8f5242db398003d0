// Newton-Raphson for one implicit step: see newton.h. One synchronisation with the host for each state that is looked
// at: the residual's norm and the smallest J decide, and only the host knows how to go on.
#include "sim/newton/newton.h"

#include <float.h>
#include <math.h>

#include "base/interrupt.h"

enum { BACKTRACKS_MAX = 8 };

// A residual that no step lowers any more, and that is below so many times what its terms' rounding adds up to by
// order of magnitude, is rounding. Measured on vibrating beams, float and double: 0.2 to 1.6.
static const double ROUNDING_SLACK = 4;

// How a (sub)step ended.
typedef enum Outcome {
  OUTCOME_CONVERGED,
  OUTCOME_UNFINISHED,  // out of iterations, or no shorter step helps; the state is sound all the same
  OUTCOME_BROKEN,      // not a number
} Outcome;

static bool pass(const Newton *w, const Transfer *transfer, Error *error) {
  return transfer_pass(transfer, w->cuda, w->clock, error);
}

static bool assemble(Newton *w, const MidpointStep *step, bool with_matrix, Error *error) {
  const SimulationSettings *s = w->settings;
  const AssemblyParameters parameters = { { s->mu, s->lambda }, step->impulse, step->impulse * step->theta };
  int span;
  if (with_matrix)
    w->assemblies++;
  else
    w->vectors++;
  if (!pass(w, w->nodal, error)) return false;
  if (!stage_begin(w->clock, with_matrix ? TIMED_ASSEMBLY : TIMED_VECTOR, w->assembly_stream, &span, error) ||
      !assembly_run(w->assembly, &parameters, w->nodal->to, w->force->from, with_matrix ? w->values->from : NULL,
                    w->assembly_stream, error) ||
      !stage_end(w->clock, span, w->assembly_stream, error))
    return false;
  if (!pass(w, w->force, error) || !pass(w, w->min_J, error)) return false;
  if (!with_matrix) return true;
  return pass(w, w->values, error) && w->operations->diagonal_shift(w->m, step, w->stream, error) &&
         pass(w, w->shift, error) &&
         matrix_shift(w->A, w->shift->to, w->m->floor.there, w->diagonal->from, w->solver_stream, error) &&
         pass(w, w->diagonal, error);
}

// du = A^-1 residual
static bool solve(Newton *w, Error *error) {
  int span;
  return pass(w, w->residual, error) && stage_begin(w->clock, TIMED_SOLVER, w->solver_stream, &span, error) &&
         solver_solve(w->solver, w->solver_stream, error) && stage_end(w->clock, span, w->solver_stream, error) &&
         (w->du->from == w->du->to || solver_wait(w->solver, w->solver_stream, error)) && pass(w, w->du, error);
}

// evaluates the state u1 + factor du: its residual and J, and the tangent if asked for. Waits.
static bool evaluate(Newton *w, const MidpointStep *step, double factor, bool with_matrix, Error *error) {
  return w->operations->try_step(w->m, step, factor, w->stream, error) && assemble(w, step, with_matrix, error) &&
         w->operations->residual(w->m, step, w->min_J->to, w->assembly->min_J_count,
                                 w->settings->newton == NEWTON_ROBUST, w->stream, error) &&
         solver_wait(w->solver, w->stream, error);
}

// the bound that was asked for on the residual of the state just evaluated
static double tolerance_of(const Newton *w) {
  const ResidualSums *sums = w->m->sums_host;
  const double scale = sqrt(sums->momentum2) + sqrt(sums->internal2) + sqrt(sums->external2);
  return fmax(w->settings->newton_absolute, w->settings->newton_relative * scale);
}

// what rounding leaves of the residual, by order of magnitude: that of its own terms, and what rounding u does to it
static double rounding_of(const Newton *w) {
  const ResidualSums *sums = w->m->sums_host;
  const double epsilon = w->m->precision == PRECISION_F32 ? FLT_EPSILON : DBL_EPSILON;
  return epsilon * (sqrt(sums->momentum2) + sqrt(sums->internal2) + sqrt(sums->external2) + sqrt(sums->rounding2));
}

static void accept_trial(Midpoint *m) {
  void *u1 = m->u1;
  m->u1 = m->trial;
  m->trial = u1;
}

static void note_residual(const Newton *w, StepReport *report) {
  report->residual = sqrt(w->m->sums_host->residual2);
  report->min_J = w->m->sums_host->min_J;
}

// why it stops at u1 without having converged; the last trial that was refused is what the sums are of
static NewtonCause cause_of(const Newton *w, bool searched) {
  const double J = w->m->sums_host->min_J;
  const SolverEnd end = w->solver->report->end;
  if (searched && !(J > 0)) return NEWTON_INVERTED;
  if (end == SOLVER_INDEFINITE) return NEWTON_INDEFINITE;
  if (end != SOLVER_CONVERGED) return NEWTON_LINEAR;
  return searched ? NEWTON_STAGNATED : NEWTON_OUT_OF_ITERATIONS;
}

// Newton from u1 = u0 over one dt. Leaves the best state in u1, with F and middle belonging to it.
static bool iterate(Newton *w, const MidpointStep *step, StepReport *report, Outcome *outcome, Error *error) {
  Midpoint *m = w->m;
  const SimulationSettings *s = w->settings;
  const bool plain = s->newton == NEWTON_PLAIN;
  if (!device_copy(w->stream, m->u1, m->u0, (size_t)m->n * precision_size(m->precision), error)) return false;
  MidpointStep first = *step;
  first.foresight = m->floor.there && isfinite(step->dt) ? step->dt : 0;
  if (!evaluate(w, &first, 0, true, error) || !interrupt_check(error)) return false;
  note_residual(w, report);

  for (int iteration = 0;; iteration++) {
    report->tolerance = tolerance_of(w);
    const bool finite = isfinite(report->residual) && isfinite(report->tolerance);
    *outcome = finite ? OUTCOME_UNFINISHED : OUTCOME_BROKEN;
    if (finite && report->residual <= report->tolerance) *outcome = OUTCOME_CONVERGED;
    // where an earlier part of the step was kept all the same, its cause stands
    if (*outcome == OUTCOME_CONVERGED && report->converged) report->cause = NEWTON_CONVERGED;
    if (*outcome == OUTCOME_BROKEN) report->cause = report->min_J <= 0 ? NEWTON_INVERTED : NEWTON_NOT_FINITE;
    if (*outcome == OUTCOME_UNFINISHED && iteration == s->newton_max) report->cause = cause_of(w, false);
    if (*outcome != OUTCOME_UNFINISHED || iteration == s->newton_max) return true;

    const double rounding_before = rounding_of(w);

    // F, middle and residual belong to u1; from the second round on the tangent is still the last one's
    if (iteration > 0 && !assemble(w, step, true, error)) return false;
    if (!solve(w, error)) return false;

    // the full step first: in the good case this is plain Newton
    const double before = report->residual;
    double factor = 1;
    bool accepted = false, rounded = false;
    for (int backtrack = 0; !accepted; backtrack++, factor /= 2) {
      if (!evaluate(w, step, factor, false, error) || !interrupt_check(error)) return false;
      if (backtrack == 0) {
        report->newton_iterations++;
        report->cg_iterations += w->solver->report->iterations;
        report->indefinite += w->solver->report->end == SOLVER_INDEFINITE;
      }
      const double after = sqrt(m->sums_host->residual2);
      accepted = plain || (m->sums_host->min_J > 0 && after <= fmax((1 - 1e-4 * factor) * before, tolerance_of(w)));
      // halving what remains is the least that Newton does until rounding is all there is
      rounded = backtrack == 0 && after > fmax(0.5 * before, tolerance_of(w)) &&
                // of the state that is kept: a trial far off has large terms, and would excuse any residual
                fmin(before, after) <= ROUNDING_SLACK * (after < before ? rounding_of(w) : rounding_before);
      if (rounded) accepted = accepted && after < before;
      if (accepted || rounded || backtrack == BACKTRACKS_MAX) break;
      report->backtracks++;
    }
    if (!accepted) {
      report->cause = cause_of(w, true);
      // no shorter step helps: back to u1, whose F and middle must be made again for whoever keeps it
      if (!evaluate(w, step, 0, false, error)) return false;
      note_residual(w, report);
      if (!rounded && iteration == 0 && first.foresight > 0) continue;  // it may have been what was foreseen
      *outcome = OUTCOME_UNFINISHED;
    } else {
      accept_trial(m);
      note_residual(w, report);
    }
    if (rounded && report->min_J > 0) {
      if (report->converged) report->cause = NEWTON_CONVERGED;
      report->rounded++;
      *outcome = OUTCOME_CONVERGED;
    }
    if (rounded || !accepted) return true;
  }
}

// what a step changes, from one place to another
static bool copy_state(const Newton *w, void *const to[3], void *const from[3], Error *error) {
  const size_t real_size = precision_size(w->m->precision);
  const size_t counts[3] = { (size_t)w->m->n, (size_t)w->m->n, 2 * (size_t)w->m->node_count };
  for (int k = 0; k < (w->m->floor.there ? 3 : 2); k++)
    if (!device_copy(w->stream, to[k], from[k], counts[k] * real_size, error)) return false;
  return true;
}

static bool back_up(Newton *w, Error *error) {
  void *const state[3] = { w->m->u0, w->m->p0, w->m->anchor };
  void *const backup[3] = { w->u_backup, w->p_backup, w->anchor_backup };
  return copy_state(w, backup, state, error);
}

static bool restore(Newton *w, Error *error) {
  void *const state[3] = { w->m->u0, w->m->p0, w->m->anchor };
  void *const backup[3] = { w->u_backup, w->p_backup, w->anchor_backup };
  return copy_state(w, state, backup, error);
}

// takes what iterate left as the state after dt
static bool finish(Newton *w, const MidpointStep *step, double dt, Outcome outcome, StepReport *report, Error *error) {
  if (outcome == OUTCOME_BROKEN)
    return error_set(error, "Newton gave up after %d iterations with dt %g s: %s", report->newton_iterations, dt,
                     newton_cause_text(report->cause));
  if (outcome == OUTCOME_UNFINISHED) report->converged = false;
  return w->operations->finish(w->m, step, w->stream, error);
}

static bool advance(Newton *w, double dt, int halvings, StepReport *report, Error *error);

// dt by backward Euler, which damps; else in two halves
static bool advance_by_euler(Newton *w, double dt, int halvings, StepReport *report, Error *error) {
  const MidpointStep step = euler_step(dt, w->settings->damping);
  const bool robust = w->settings->newton == NEWTON_ROBUST;
  const int rounded = report->rounded;
  Outcome outcome;
  if (!iterate(w, &step, report, &outcome, error)) return false;
  if (outcome != OUTCOME_CONVERGED && robust && halvings < w->settings->halvings_max) {
    report->rounded = rounded;
    report->substeps++;  // two parts in place of one
    return advance(w, dt / 2, halvings + 1, report, error) && advance(w, dt / 2, halvings + 1, report, error);
  }
  return finish(w, &step, dt, outcome, report, error);
}

// kinetic, elastic and potential energy of (u0, p0), J, and the part that can turn into motion at once. Waits.
static bool total_energy(const Newton *w, double *total, double *inner, Error *error) {
  const double *e = w->m->energy_host;
  if (!w->operations->energy(w->m, w->settings->mu, w->settings->lambda, w->stream, error) ||
      !stream_sync(w->stream, error))
    return false;
  *inner = e[0] + e[1];
  *total = *inner + e[8];
  return true;
}

// one dt by the integrator chosen; BDF2 needs a step before, of the same length
static bool advance(Newton *w, double dt, int halvings, StepReport *report, Error *error) {
  const bool robust = w->settings->newton == NEWTON_ROBUST;
  const Integrator integrator = simulation_integrator(w->settings);
  const bool two_steps = integrator == INTEGRATOR_BDF2 && w->has_before && halvings == 0;
  if (integrator == INTEGRATOR_EULER || (integrator == INTEGRATOR_BDF2 && !two_steps))
    return advance_by_euler(w, dt, halvings, report, error);

  MidpointStep step = midpoint_step(dt, w->settings->damping);
  Outcome outcome;
  // BDF2 remembers: a blow of the floor goes on in the steps after it, half as much again in all, and may then throw a
  // stiff body higher than it fell. The midpoint rule keeps what rounding leaves in a stiff body, step upon step. So a
  // step that gains energy over a floor is taken anew by backward Euler, which cannot; what the midpoint rule's energy
  // swings by in a soft body is let pass
  const bool watched = robust && w->m->floor.there && halvings == 0;
  const double swing = two_steps ? 0 : 0.01;
  double at_start = 0, at_end = 0, inner = 0, ignored;
  if (watched && !total_energy(w, &at_start, &inner, error)) return false;
  if (two_steps) {
    // x1 = (4 x0 - x before)/3 + 2/3 dt v1, and the same for p: an Euler step of 2/3 dt from there
    if (!w->operations->extrapolate(w->m, w->u_before, w->p_before, w->stream, error)) return false;
    step = euler_step(dt * 2 / 3, w->settings->damping);
  }
  if (!iterate(w, &step, report, &outcome, error)) return false;
  if (outcome == OUTCOME_CONVERGED || !robust) {
    if (!finish(w, &step, dt, outcome, report, error) || (watched && !total_energy(w, &at_end, &ignored, error)))
      return false;
    if (at_end <= at_start + swing * inner) return true;
    report->damped++;
    return restore(w, error) && advance_by_euler(w, dt, halvings, report, error);
  }
  if (two_steps && !restore(w, error)) return false;
  const int parts = report->substeps;
  if (!advance_by_euler(w, dt, halvings, report, error)) return false;
  report->damped += report->substeps == parts;
  return true;
}

const char *newton_cause_text(NewtonCause cause) {
  switch (cause) {
    case NEWTON_CONVERGED:
      break;
    case NEWTON_NOT_FINITE:
      return "the state, a load or a force is not a finite number";
    case NEWTON_INVERTED:
      return "an element is, or would be, turned inside out";
    case NEWTON_INDEFINITE:
      return "the tangent is not positive definite, as where a body buckles";
    case NEWTON_LINEAR:
      return "the linear solver did not reach cg_relative within cg_max iterations, or broke down in rounding";
    case NEWTON_STAGNATED:
      return "no shorter step lowers the residual";
    case NEWTON_OUT_OF_ITERATIONS:
      return "newton_max iterations were not enough";
    case NEWTON_STOPPED:
      return "it was interrupted";
  }
  return "it converged";
}

// what BDF2 needs of this step for the next one
static bool keep_before(Newton *w, const StepReport *report, Error *error) {
  const size_t bytes = (size_t)w->m->n * precision_size(w->m->precision);
  if (simulation_integrator(w->settings) != INTEGRATOR_BDF2) {
    w->has_before = false;
    return true;
  }
  w->has_before = report->substeps == 1;
  return device_copy(w->stream, w->u_before, w->u_backup, bytes, error) &&
         device_copy(w->stream, w->p_before, w->p_backup, bytes, error);
}

bool newton_step(Newton *w, double dt, StepReport *report, Error *error) {
  *report = (StepReport){ .substeps = 1, .converged = true };
  // the first half of a halved step is kept only if the second works out
  if (!back_up(w, error)) return false;
  if (advance(w, dt, 0, report, error))
    return keep_before(w, report, error) &&
           (w->m->held || w->operations->recentre(w->m, w->u_backup, w->u_before, w->stream, error));
  Error ignored = { 0 };  // the first cause stands
  if (interrupt_wanted()) report->cause = NEWTON_STOPPED;
  restore(w, &ignored);
  return false;
}

bool newton_equilibrium(Newton *w, StepReport *report, Error *error) {
  const MidpointStep step = static_step();
  Outcome outcome;
  *report = (StepReport){ .substeps = 1 };
  w->has_before = false;
  if (!back_up(w, error) ||
      !device_zero(w->stream, w->m->p0, (size_t)w->m->n * precision_size(w->m->precision), error) ||
      !iterate(w, &step, report, &outcome, error)) {
    Error ignored = { 0 };
    restore(w, &ignored);
    return false;
  }
  report->converged = outcome == OUTCOME_CONVERGED;
  return report->converged ? w->operations->finish(w->m, &step, w->stream, error) : restore(w, error);
}

bool newton_forces(Newton *w, Error *error) {
  const MidpointStep step = static_step();
  const size_t bytes = (size_t)w->m->n * precision_size(w->m->precision);
  return device_copy(w->stream, w->m->u1, w->m->u0, bytes, error) && evaluate(w, &step, 0, false, error);
}
