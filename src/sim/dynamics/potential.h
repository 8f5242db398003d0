// The potential of an implicit step, of which the residual is the negative gradient, but for cells and pairs that
// touch: written once for both devices. Built for each precision.
#pragma once
#include "sim/dynamics/integrator.h"

/// Component i's place where forces act in a step that ends with displacement u.
HOST_DEVICE real acts_at(const Motion *m, const TimeStep *step, int i, real u) {
  const real u0 = m->body.u[i];
  return step->theta == 1 ? u : u0 + step->theta * (u - u0);
}

/// What the potential of node a's share of all but cells and pairs is higher at displacements u than at v. What acts at
/// u_theta has the energy there over theta: the chain rule.
HOST_DEVICE double higher_at(const Motion *m, const TimeStep *step, int a, const real *u, const real *v) {
  const Body *body = &m->body;
  const Forces *f = &m->forces;
  double sum = 0;
  for (int i = 3 * a; i < 3 * a + 3; i++) {
    if (body->held[i]) continue;
    const double moved = (double)u[i] - v[i], both = (double)u[i] + v[i] - 2 * (double)body->u[i];
    const double origin = body->origin[i % 3];
    const double quadratic = (double)body->mass[a] * step->inertia + step->damper_shift * f->damper[a];
    sum += moved * (0.5 * quadratic * both - body->p[i]);
    const double u_acts = acts_at(m, step, i, u[i]), v_acts = acts_at(m, step, i, v[i]);
    sum += step->impulse * ((spring_energy(f->spring[a], f->pull[i], u_acts + origin) -
                             spring_energy(f->spring[a], f->pull[i], v_acts + origin)) /
                                step->theta -
                            f->load[i] * moved);
    // without a spring a pull is a load
    if (!(f->spring[a] > 0)) sum -= step->impulse * f->pull[i] * moved;
  }
  if (f->floor.present)
    sum += step->impulse *
           ((double)floor_at_node(f, body, a, u, 0, 0).energy - floor_at_node(f, body, a, v, 0, 0).energy);
  if (f->obstacle_count > 0)
    sum += step->impulse * ((double)obstacles_at_node(f, body, span_of(step), a, u, 0, false).energy -
                            obstacles_at_node(f, body, span_of(step), a, v, 0, false).energy);
  return sum;
}
