// Solves a part of a divided time step in passes, which find its friction (part_friction.h).
#include "sim/newton/part_friction.h"

#include <math.h>

enum { PASSES_MAX = 8 };

// Passes end if the sum of the largest friction forces changes by less than this fraction.
static const double CHANGE_MAX = 1e-3;

static bool needs_passes(const Newton *w, const TimeStep *step, bool whole) {
  const Contact *c = w->motion->forces.self;
  return c && contact_rubs(c) && isfinite(step->duration) && (!whole || w->follows_part);
}

// Solves further passes until the friction does not change any more. *outcome is the outcome of the last pass.
static bool solve_passes(Newton *w, const TimeStep *step, StepReport *report, NewtonOutcome *outcome, Error *error) {
  const Motion *m = w->motion;
  const SelfContactFunctions *f = newton_self_contact(w);
  double before, now;
  if (!f->friction_limit(m, &before, w->stream, error)) return false;
  for (int k = 0; k < PASSES_MAX && *outcome == OUTCOME_CONVERGED; k++) {
    if (!f->begin_pass(m, step, w->stream, error) || !f->friction_limit(m, &now, w->stream, error)) return false;
    if (fabs(now - before) <= CHANGE_MAX * now) return true;
    if (!REAL_NAME(newton_iterate_again)(w, step, report, outcome, error)) return false;
    before = now;
  }
  return true;
}

bool REAL_NAME(part_friction_iterate)(Newton *w, const TimeStep *step, bool whole, StepReport *report,
                                      NewtonOutcome *outcome, Error *error) {
  part_friction_end(w->motion->forces.self);  // a failed part has not ended its passes
  if (!REAL_NAME(newton_iterate)(w, step, whole, report, outcome, error)) return false;
  if (*outcome != OUTCOME_CONVERGED || !needs_passes(w, step, whole)) return true;
  Contact *c = w->motion->forces.self;
  const int rounded = report->rounded, guessed = report->guessed;
  const NewtonCause cause = report->cause;
  c->loading = LOADING_PART;
  if (!solve_passes(w, step, report, outcome, error)) return false;
  if (*outcome == OUTCOME_CONVERGED) return true;

  // a pass has failed: compute the first pass again
  part_friction_end(c);
  report->rounded = rounded;
  report->guessed = guessed;
  report->cause = cause;
  return REAL_NAME(newton_iterate)(w, step, whole, report, outcome, error);
}
