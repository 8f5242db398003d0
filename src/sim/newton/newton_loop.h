// Newton's method for one time step, controlled by the host, with a line search. It starts at u0, the displacements at
// the start of the step, or at a first guess of the result (FirstGuess). u1 is the present iterate, and `trial` the
// candidate for the next one. With self-contact, obstacles are first moved to their positions at the step's end. If a
// CUDA graph has run the first iterations (step_graph.h), the loop continues from the graph's last state.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/integrator.h"
#include "sim/newton/newton.h"
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

// Chooses the solver of the next linear system. If contact pairs touch (`touches`) or pressures act, the operator has
// terms besides its matrix. The faster solver w->alone does not support pressures, and supports contact only if its
// flag takes_term is set. If w->alone does not support the terms, w->whole is chosen.
static inline void newton_choose_solver(Newton *w, bool touches) {
  const bool whole = pressure_acts(&w->motion->forces) || (touches && w->alone && !w->alone->takes_term);
  if (w->alone) w->solver = whole ? w->whole : w->alone;
  w->solver->with_term = touches;
}

/// Runs Newton's method for one time step or part of a divided time step, from the first guess of the settings or from
/// u0, the start of the step. `whole` is true if the step is not divided; only then can the first guess be an
/// extrapolation of the last step, which must have the same duration. The result is u1, with its internal forces.
/// *outcome states if Newton's method converged, and *report gets the counts of iterations. Returns false only on
/// errors or interruption.
bool REAL_NAME(newton_iterate)(Newton *newton, const TimeStep *step, bool whole, StepReport *report,
                               NewtonOutcome *outcome, Error *error);

/// Continues Newton's method from u1, after the friction has changed (part_friction.h). Takes at least one iteration,
/// since the change may be below the tolerance. *outcome and *report are as in newton_iterate.
bool REAL_NAME(newton_iterate_again)(Newton *newton, const TimeStep *step, StepReport *report, NewtonOutcome *outcome,
                                     Error *error);

/// Assembles the tangent (stiffness matrix) of static equilibrium at the body's present displacements. *min_J
/// becomes the smallest det F of all cells, where F is the deformation gradient.
bool REAL_NAME(newton_tangent)(Newton *newton, double *min_J, Error *error);

/// Computes the internal forces at the body's present displacements, in Iterate.internal.
bool REAL_NAME(newton_forces)(Newton *newton, Error *error);
