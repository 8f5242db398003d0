// Springs and dampers at nodes, as the force `springs` in the list of forces (forces.def). force/springs.h computes
// their forces.
#pragma once
#include "sim/force/force_arrays.h"
#include "sim/force/springs.h"

/// Writes nothing to `key`. The parameter `key` is for numbers that a recorded CUDA graph contains as constants; if one
/// of them changes, the graph is recorded again. Springs need no such number, because the graph reads them from arrays.
HOST_DEVICE void springs_key(const Forces *f, double key[FORCE_KEYS]) {
  (void)f, (void)key;
}

HOST_DEVICE void springs_add_force(const Forces *f, int i, real u, real v, real *force) {
  *force += spring_force(f->spring[i / 3], f->pull[i], u);
  *force += damper_force(f->damper[i / 3], v);
}

HOST_DEVICE void springs_add_shift(const Forces *f, int a, real spring_shift, real damper_shift, real *shift) {
  *shift = times_plus(spring_shift, f->spring[a], *shift);
  *shift = times_plus(damper_shift, f->damper[a], *shift);
}

HOST_DEVICE real springs_damping(const Forces *f, int a) {
  return f->damper[a];
}

HOST_DEVICE double springs_energy(const Forces *f, int i, double u) {
  return spring_energy(f->spring[i / 3], f->pull[i], u);
}

/// Returns the change of the energy of a node's spring, for one unknown i, from displacement v to displacement u,
/// divided by theta, the fraction of the time step at which forces are evaluated. Reason: the step's potential contains
/// energies divided by theta (potential.h). If the stiffness is 0, f->pull is a constant load, and the result is the
/// change of its energy, -pull * moved. `moved` is the change of the displacement at the end of the time step.
HOST_DEVICE double springs_rise(const Forces *f, int i, double u, double v, real theta, double moved) {
  if (!(f->spring[i / 3] > 0)) return -(f->pull[i] * moved);
  return (springs_energy(f, i, u) - springs_energy(f, i, v)) / theta;
}
