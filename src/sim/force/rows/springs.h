// The row `springs` of forces.def: springs and dampers at nodes (force/springs.h).
#pragma once
#include "sim/force/force_arrays.h"
#include "sim/force/springs.h"

/// Leaves `key` unchanged. A recorded CUDA graph reads springs from arrays, so it need not be recorded again when they
/// change.
HOST_DEVICE void springs_key(const Forces *f, double key[FORCE_KEYS]) {
  (void)f, (void)key;
}

HOST_DEVICE void springs_add_force(const Forces *f, int i, real u, real v, real *force) {
  *force += spring_force(f->spring[i / 3], f->pull[i], u);
  *force += damper_force(f->damper[i / 3], v);
}

HOST_DEVICE void springs_add_shift(const Forces *f, int a, real spring_shift, real damper_shift, real *shift) {
  *shift += spring_shift * f->spring[a];
  *shift += damper_shift * f->damper[a];
}

HOST_DEVICE real springs_damping(const Forces *f, int a) {
  return f->damper[a];
}

HOST_DEVICE double springs_energy(const Forces *f, int i, double u) {
  return spring_energy(f->spring[i / 3], f->pull[i], u);
}

/// Returns the change of the spring's energy from displacement v to displacement u, divided by theta, the fraction of
/// the step at which forces are evaluated. With stiffness 0, the pull is a constant load, whose energy changes by -pull
/// * moved.
HOST_DEVICE double springs_rise(const Forces *f, int i, double u, double v, real theta, double moved) {
  if (!(f->spring[i / 3] > 0)) return -(f->pull[i] * moved);
  return (springs_energy(f, i, u) - springs_energy(f, i, v)) / theta;
}
