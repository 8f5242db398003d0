// Newton's loop over one dt on the host, with line search and first guesses. Obstacles of self-contact move before it.
// If a GPU takes the step itself (step_graph.h), this loop continues at the point where the GPU stopped.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/integrator.h"
#include "sim/dynamics/newton.h"
#include "sim/dynamics/self_contact.h"

// Returns the functions of self-contact for the body's device.
static inline const SelfContactFunctions *newton_self_contact(const Newton *w) {
  return self_contact_functions(w->motion->body.device, REAL_PRECISION);
}

static inline void accept_trial(Iterate *it) {
  real *u1 = it->u1;
  it->u1 = it->trial;
  it->trial = u1;
}

// Chooses the solver of the next system; `touches`: its tangent has pairs in contact. `alone` does not support the term
// of pressures.
static inline void newton_choose_solver(Newton *w, bool touches) {
  const bool whole = pressure_acts(&w->motion->forces) || (touches && w->alone && !w->alone->takes_term);
  if (w->alone) w->solver = whole ? w->whole : w->alone;
  w->solver->with_term = touches;
}

/// Runs Newton's method over one dt, from the first guess of the settings, or from u0; `whole`: dt is that of the last
/// step. Leaves the final state u1 with its internal forces. *outcome and the report say how it ended. Fails on errors,
/// or interrupted.
bool REAL_NAME(newton_iterate)(Newton *newton, const TimeStep *step, bool whole, StepReport *report,
                               NewtonOutcome *outcome, Error *error);

/// Implements NewtonFunctions.tangent.
bool REAL_NAME(newton_tangent)(Newton *newton, double *min_J, Error *error);

/// Implements NewtonFunctions.forces.
bool REAL_NAME(newton_forces)(Newton *newton, Error *error);
