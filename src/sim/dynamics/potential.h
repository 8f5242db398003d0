// The potential of an implicit step: a function of the displacements at the step's end whose negative gradient is the
// residual. The line search compares values of the potential. This header computes all parts of the potential except
// the elastic energy of cells and the energy of contact pairs. The header is compiled for CPU and GPU, and for each
// precision.
#pragma once
#include "sim/dynamics/integrator.h"

/// Returns u_theta = u0 + theta (u - u0), m: the displacement of unknown i at which forces act if the step ends with u.
/// u0 is its displacement at the start of the step, and theta a coefficient of the step.
HOST_DEVICE real acts_at(const Motion *m, const TimeStep *step, int i, real u) {
  const real u0 = m->body.u[i];
  return step->theta == 1 ? u : u0 + step->theta * (u - u0);
}

/// Returns the contribution of node a to the change of the potential, kg m^2/s, if the displacements of all unknowns at
/// the step's end change from v to u. Cells and contact pairs are not included. A force that acts at u_theta = u0 +
/// theta (u - u0) contributes its energy at u_theta, divided by theta: the gradient of this energy by u has the factor
/// theta, which must cancel.
HOST_DEVICE double higher_at(const Motion *m, const TimeStep *step, int a, const real *u, const real *v) {
  const Body *body = &m->body;
  const Forces *f = &m->forces;
  double sum = 0;
  for (int i = 3 * a; i < 3 * a + 3; i++) {
    if (body->held[i]) continue;
    const double moved = (double)u[i] - v[i], both = (double)u[i] + v[i] - 2 * (double)body->u[i];
    const double origin = body->origin[i % 3];
    const double u_acts = acts_at(m, step, i, u[i]), v_acts = acts_at(m, step, i, v[i]);
    double quadratic = (double)body->mass[a] * step->inertia, rise = NO_FORCE;
#define FORCE_ON_UNKNOWN(name)                            \
  quadratic += step->damper_shift * name##_damping(f, a); \
  rise += name##_rise(f, i, u_acts + origin, v_acts + origin, step->theta, moved);
#include "sim/force/forces.def"
    sum += moved * (0.5 * quadratic * both - start_momentum(m, step, i));
    sum += step->impulse * rise;
  }

  StepEnd end = step_end(step, u, false);
  end.lookahead = 0;
#define FORCE_ON_NODE(name, Type, crosses) \
  if (name##_acts(f)) sum += step->impulse * name##_rise(f, body, a, u, v);
#define FORCE_IN_SEPARATE_LOOP(name, crosses) \
  if (name##_acts(f)) sum += step->impulse * name##_rise(f, body, &end, a, v);
#include "sim/force/forces.def"
  return sum;
}
