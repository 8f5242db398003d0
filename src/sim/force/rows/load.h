// Constant loads, gravity included, as the force `load` in the list of forces (forces.def). The load f on an unknown
// with displacement u has the energy -f u and no tangent.
#pragma once
#include "sim/force/force_arrays.h"

/// Writes nothing to `key`. The parameter `key` is for numbers that a recorded CUDA graph contains as constants; if one
/// of them changes, the graph is recorded again. Loads need no such number, because the graph reads them from an array.
HOST_DEVICE void load_key(const Forces *f, double key[FORCE_KEYS]) {
  (void)f, (void)key;
}

HOST_DEVICE void load_add_force(const Forces *f, int i, real u, real v, real *force) {
  (void)u, (void)v;
  *force += f->load[i];
}

HOST_DEVICE void load_add_shift(const Forces *f, int a, real spring_shift, real damper_shift, real *shift) {
  (void)f, (void)a, (void)spring_shift, (void)damper_shift, (void)shift;
}

HOST_DEVICE real load_damping(const Forces *f, int a) {
  (void)f, (void)a;
  return 0;
}

HOST_DEVICE double load_energy(const Forces *f, int i, double u) {
  return -(f->load[i] * u);
}

HOST_DEVICE double load_rise(const Forces *f, int i, double u, double v, real theta, double moved) {
  (void)u, (void)v, (void)theta;
  return -(f->load[i] * moved);
}
