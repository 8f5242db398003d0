// A spring and a damper at each node, by which a user pulls at a body, for example with the mouse (grabs.h). u is the
// node's displacement, v its velocity, `spring` and `damper` are coefficients, and pull = spring * target displacement.
// For each component:
//   force    pull - spring u - damper v
//   energy   1/2 spring (u - pull/spring)^2
//   derivative of -force by u: spring; by v: damper
#pragma once
#include "device/host_device.h"

enum { SPRING_VALUES = 5 };  // number of values for each node: spring, N/m; damper, N s/m; and the vector pull [3], N

#ifdef REAL
#include "sim/element/rounding.h"

HOST_DEVICE real spring_force(real spring, real pull, real u) {
  return times_plus(-spring, u, pull);
}

HOST_DEVICE real damper_force(real damper, real v) {
  return -times_rounded(damper, v);
}

HOST_DEVICE double spring_energy(double spring, double pull, double u) {
  const double stretch = spring > 0 ? u - pull / spring : 0;
  return 0.5 * spring * stretch * stretch;
}
#endif
