// The coefficients of one implicit step from displacements u0 and momenta p0 to u1 and p1, and the step's arithmetic
// for one unknown. With f = internal - external force, taken at u0 + theta (u1 - u0):
//   h(u1) = inertia m (u1 - u0) + impulse f,   and Newton solves h(u1) = p0
//   p1 = end_inertia m (u1 - u0), minus impulse f for the midpoint rule
//   tangent = inertia m + impulse theta K
// The midpoint rule (paper 000, Eq. 4 and 5; the tangent's factor is that of Eq. 6 halved, by the chain rule):
//   h(u1) = m (u1 - u0)/dt + dt/2 f,   p1 = m (u1 - u0)/dt - dt/2 f,   tangent = m/dt + dt/4 K
// Backward Euler takes forces at u1, with dt in place of dt/2, and p1 = m (u1 - u0)/dt. It damps vibrations that the
// midpoint rule keeps, and replaces that rule if it fails. BDF2 is a backward Euler step of 2/3 dt from a state that is
// extrapolated from the previous one. Damping adds the force -damping m (u1 - u0)/dt.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"

typedef struct TimeStep {
  real theta;
  real impulse;                     // s
  bool impulse_at_end;              // p1 includes the impulse of the forces
  real inertia, end_inertia;        // 1/s: 1/dt and the part of damping
  real inverse_dt;                  // 1/s, 0 for static equilibrium
  real spring_shift, damper_shift;  // s and 1: factors of springs and dampers in the tangent
  real duration;                    // s, dt; infinite for static equilibrium
  real begins, stuck;               // s since the whole step began: begin of this part, and time from which nodes stick
  // s: nodes that would be below the floor after this time at their present speed count as touching in Newton's first
  // linear system, so that it need not find them one by one; 0: only nodes that touch now
  real lookahead;
  real reach;  // fraction of the whole step that has gone by at the end of this part; 1 for steps in one piece
  // fraction of friction's secant stiffness in the tangent, 0 to 1, for nodes that slip on floor or obstacles; see
  // newton_slip_fraction
  real slip_fraction;
} TimeStep;

static inline TimeStep time_step(double dt, double theta, double impulse, double inertia, double end_inertia) {
  TimeStep step;
  step.theta = (real)theta, step.impulse = (real)impulse, step.impulse_at_end = false;
  step.inertia = (real)inertia, step.end_inertia = (real)end_inertia;
  step.inverse_dt = (real)(1 / dt), step.duration = (real)dt, step.lookahead = 0, step.begins = step.stuck = 0;
  step.slip_fraction = 0, step.reach = 1;
  step.spring_shift = (real)(impulse * theta), step.damper_shift = (real)(impulse / dt);
  return step;
}
static inline TimeStep midpoint_step(double dt, double damping) {
  TimeStep step = time_step(dt, 0.5, dt / 2, 1 / dt + damping / 2, 1 / dt - damping / 2);
  step.impulse_at_end = true;
  return step;
}
static inline TimeStep euler_step(double dt, double damping) {
  return time_step(dt, 1, dt, 1 / dt + damping, 1 / dt);
}
// Static equilibrium: no inertia and no time; h is the sum of forces at u1, N.
static inline TimeStep static_step(void) {
  return time_step((double)INFINITY, 1, 1, 0, 0);
}

/// Returns p0 - h. `moved` is u1 - u0; internal and external are forces times `impulse`.
HOST_DEVICE real step_residual(const TimeStep *step, real p0, real mass, real moved, real internal, real external) {
  return p0 - mass * step->inertia * moved - (internal - external);
}

HOST_DEVICE real step_end_momentum(const TimeStep *step, real mass, real moved, real internal, real external) {
  const real inertial = mass * step->end_inertia * moved;
  return step->impulse_at_end ? inertial - (internal - external) : inertial;
}

/// Returns the part of inertia in the tangent's diagonal.
HOST_DEVICE real step_mass_shift(const TimeStep *step, real mass) {
  return mass * step->inertia;
}

/// Returns the start value of BDF2: (4 now - before)/3.
HOST_DEVICE real step_extrapolate(real now, real before) {
  return now + (now - before) / 3;
}
