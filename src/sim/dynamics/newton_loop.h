// Newton's loop over one dt, led by the host, with its line search and its first guesses; obstacles of self-contact go
// before it. Where a GPU decides itself (step_graph.h) it goes on from where that stopped.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/integrator.h"
#include "sim/dynamics/newton.h"
#include "sim/dynamics/self_contact.h"

// contact of the body with itself, where there is any
static inline const SelfContactFunctions *newton_self_contact(const Newton *w) {
  return self_contact_functions(w->motion->body.device, REAL_PRECISION);
}

static inline void accept_trial(Iterate *it) {
  real *u1 = it->u1;
  it->u1 = it->trial;
  it->trial = u1;
}

// The solver of the next system, whose tangent has pairs that touch, or not.
static inline void newton_choose_solver(Newton *w, bool touches) {
  if (w->alone) w->solver = touches && !w->alone->takes_term ? w->whole : w->alone;
  w->solver->with_term = touches;
}

/// Newton over one dt, from the first guess that settings ask for, else from u0; `whole`: the dt of the last step.
/// Leaves u1, the state that it has come to, with its internal forces, and says in *outcome and the report how it
/// ended. Fails on errors, or interrupted.
bool REAL_NAME(newton_iterate)(Newton *newton, const TimeStep *step, bool whole, StepReport *report,
                               NewtonOutcome *outcome, Error *error);

/// NewtonFunctions.forces.
bool REAL_NAME(newton_forces)(Newton *newton, Error *error);
