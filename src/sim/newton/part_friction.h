// Friction in the parts of a divided time step.
//
// Friction is computed with the normal force N of each contact pair at the start of a step (contact/sliding.h). In
// steps of equal duration, the friction impulse of a step is mu N dt with the force N at the end of the step before, so
// all impulses together follow Coulomb's law. The parts of a divided step differ in duration. An impact in a short part
// has a large force N. If the next part is longer, its friction impulse mu N dt would be several times mu times the
// impulse of the impact.
//
// Therefore each part is solved in passes. After the first pass, further passes use the normal forces, the normals and
// the nearest points at the end of the pass before. So the friction impulse of a part is mu times its own normal
// impulse. The time step after a divided one is solved in this way too, since it is longer than the part before it.
#pragma once
#include "sim/newton/newton_loop.h"

/// Returns true if a time step of duration dt, s, follows a part of a divided step. contact: NULL without self-contact.
static inline bool part_friction_follows(const Contact *contact, double dt) {
  // A step of BDF2 has the duration 2/3 dt (time_step.h), and a part of a divided step at most dt/2.
  const double LONGEST_PART = 0.6;
  const double last = contact && contact_rubs(contact) ? contact->last_duration : 0;
  return last > 0 && last < LONGEST_PART * dt;
}

/// Ends the passes of a part, after its friction anchors are stored. contact: NULL without self-contact.
static inline void part_friction_end(Contact *contact) {
  if (contact && contact->loading == LOADING_PART) contact->loading = LOADING_NONE;
}

/// Runs Newton's method as newton_iterate. If the step is a part of a divided step or follows one, its friction belongs
/// to the normal forces at its end. If a further pass does not converge, the result of the first pass is kept. `whole`:
/// the step is not divided.
bool REAL_NAME(part_friction_iterate)(Newton *newton, const TimeStep *step, bool whole, StepReport *report,
                                      NewtonOutcome *outcome, Error *error);
