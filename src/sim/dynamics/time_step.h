// The coefficients of one implicit time step, and the arithmetic of the step for one unknown. The step leads from
// displacement u0 and momentum p0 to u1 and p1. m is the mass, f the internal minus external force at u0 + theta (u1 -
// u0), and K the derivative of f by displacement. inertia, end_inertia, impulse and theta are the members of TimeStep:
//   h(u1) = inertia m (u1 - u0) + impulse f,   and Newton solves h(u1) = p0
//   p1 = end_inertia m (u1 - u0), minus impulse f for the midpoint rule
//   tangent = inertia m + impulse theta K
//
// Midpoint rule (paper 000, Eq. 4 and 5). Eq. 6 of the paper has the factor dt/2 of K. It must be dt/4, by the chain
// rule: the midpoint moves by half of the change of u1.
//   h(u1) = m (u1 - u0)/dt + dt/2 f,   p1 = m (u1 - u0)/dt - dt/2 f,   tangent = m/dt + dt/4 K
//
// Backward Euler evaluates forces at u1: dt replaces dt/2 and dt/4 in these formulas, and p1 = m (u1 - u0)/dt. It damps
// vibrations that the midpoint rule keeps. If a step of another integrator fails, backward Euler can replace the
// integrator in this step.
//
// BDF2 is a backward Euler step of 2/3 dt from a state that is extrapolated from the last two states.
//
// Damping adds the force -damping m (u1 - u0)/dt, with the coefficient `damping` in 1/s.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "sim/element/rounding.h"

// Coefficients of a step, or of a part of a divided step.
typedef struct TimeStep {
  real theta;                       // 0 to 1: forces are evaluated at u0 + theta (u1 - u0)
  real impulse;                     // s, factor of the forces f in h(u1)
  bool impulse_at_end;              // true for the midpoint rule: p1 contains - impulse f
  real inertia, end_inertia;        // 1/s, factors of m in h(u1) and in p1: 1/dt and a term of damping
  real inverse_dt;                  // 1/s, 1 / duration; 0 for static equilibrium
  real spring_shift, damper_shift;  // factors in the tangent. spring_shift, s, multiplies the stiffness of springs;
                                    // damper_shift, without unit, multiplies the coefficient of dampers
  real duration;                    // s, duration of this step or part; infinite for static equilibrium
  // Two times, s, counted from the start of the whole step, which may be divided into parts. begins: start of this
  // part. stuck: last update of the friction anchors, the points at which nodes stick to the floor or an obstacle
  real begins, stuck;
  // s: how far ahead Newton's first evaluation of the step searches for contact; 0 in later evaluations. In the first
  // evaluation, a node also counts as touching if its momentum and load would move it into the floor or an obstacle
  // within this time (floor_ahead). This saves iterations when nodes land
  real lookahead;
  real reach;  // for prescribed motions, which are known at the end of the whole step: time at the end of this part /
               // duration of the whole step; 1 if the step is not divided
  bool turns_back;  // true: the velocities of rotating pieces are turned back at the start of the step (turn_back.h)
  // 0 to 1, for nodes that slip on the floor or an obstacle: the fraction of the stiffness (friction force / length of
  // the slip) that the tangent includes; see newton_slip_fraction
  real slip_fraction;
} TimeStep;

static inline TimeStep time_step(double dt, double theta, double impulse, double inertia, double end_inertia) {
  TimeStep step;
  step.theta = (real)theta;
  step.impulse = (real)impulse;
  step.impulse_at_end = false;
  step.inertia = (real)inertia;
  step.end_inertia = (real)end_inertia;
  step.inverse_dt = (real)(1 / dt);
  step.duration = (real)dt;
  step.lookahead = 0;
  step.begins = step.stuck = 0;
  step.slip_fraction = 0;
  step.reach = 1;
  step.turns_back = false;
  step.spring_shift = (real)(impulse * theta);
  step.damper_shift = (real)(impulse / dt);
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
// Returns the coefficients of static equilibrium: no inertia, infinite duration, and h is the sum of forces at u1, N.
static inline TimeStep static_step(void) {
  return time_step((double)INFINITY, 1, 1, 0, 0);
}

/// Returns the residual p0 - h of one unknown, kg m/s. `moved` is u1 - u0, m; `internal` and `external` are forces
/// times step->impulse, kg m/s.
HOST_DEVICE real step_residual(const TimeStep *step, real p0, real mass, real moved, real internal, real external) {
  return times_plus(-(mass * step->inertia), moved, p0) - (internal - external);
}

HOST_DEVICE real step_end_momentum(const TimeStep *step, real mass, real moved, real internal, real external) {
  const real inertial = times_rounded(mass * step->end_inertia, moved);
  return step->impulse_at_end ? inertial - (internal - external) : inertial;
}

/// Returns the contribution of inertia to the tangent's diagonal, kg/s.
HOST_DEVICE real step_mass_shift(const TimeStep *step, real mass) {
  return times_rounded(mass, step->inertia);
}

/// Returns the start value of BDF2, (4 now - before)/3, from the present value `now` and the value one step earlier.
HOST_DEVICE real step_extrapolate(real now, real before) {
  return now + (now - before) / 3;
}
