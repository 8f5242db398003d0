// Newton's method for one step, controlled by the host, with line search and first guesses. Obstacles of self-contact
// move to the step's end before it. If the GPU has controlled the step (step_graph.h) and stopped, this loop continues
// from there.
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

// Chooses the solver of the next system: w->alone if it supports the operator's present terms, else w->whole. `touches`
// is true if the operator has the term of contact. w->alone never supports the term of pressures.
static inline void newton_choose_solver(Newton *w, bool touches) {
  const bool whole = pressure_acts(&w->motion->forces) || (touches && w->alone && !w->alone->takes_term);
  if (w->alone) w->solver = whole ? w->whole : w->alone;
  w->solver->with_term = touches;
}

/// Runs Newton's method for one step or a part of it, from the first guess of the settings or from u0. `whole` is true
/// if the step is as long as the last one, which an extrapolated guess requires. The result is u1, with the internal
/// forces there. *outcome and *report describe the result. Fails only on errors or interruption, not if Newton's method
/// does not converge.
bool REAL_NAME(newton_iterate)(Newton *newton, const TimeStep *step, bool whole, StepReport *report,
                               NewtonOutcome *outcome, Error *error);

/// Implements NewtonFunctions.tangent.
bool REAL_NAME(newton_tangent)(Newton *newton, double *min_J, Error *error);

/// Implements NewtonFunctions.forces.
bool REAL_NAME(newton_forces)(Newton *newton, Error *error);
