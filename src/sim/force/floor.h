// A floor z = height under the body. Nodes that sink into it are pushed back by a spring, and held back by friction:
//   normal force   N = k g,       g = height - z where that is positive, k = modulus * contact
//   friction      -grip v,        grip = friction N0 / (|v0| + creep)
// v is a node's velocity along the floor, v0 that at the beginning of the step, and N0 the force with which the last step
// pushed the node up: so friction is Coulomb's law lagged by a step, linear and stable however large, and its impulse is
// that of the normal force times the coefficient even where the body chatters. What hardly moves creeps slower than
// `creep`.
// `contact` is FLOOR_STIFFNESS times the size of the node's share of the volume, so k is so many times as stiff as the
// elements that the node has, and what stands there sinks in by a part of their size.
#pragma once
#include <math.h>
#include <stdbool.h>

#ifdef REAL
#include "base/real.h"
#endif
#include "device/host_device.h"

enum { FLOOR_STIFFNESS = 10 };

typedef struct Floor {
  bool there;
  double height;    // m
  double modulus;   // Pa, of a wave through the material: lambda + 2 mu
  double friction;  // coefficient
  double creep;     // m/s
} Floor;

#ifdef REAL
// how deep a node is, m: from its reference position and displacement along z; 0 above
HOST_DEVICE real floor_depth(real height, real X, real u) {
  const real depth = height - X - u;
  return depth > 0 ? depth : (real)0;
}

// N s/m, from the velocity's components along the floor
HOST_DEVICE real floor_grip(real normal_force, real vx, real vy, real friction, real creep) {
  return friction * normal_force / ((real)sqrt((double)(vx * vx + vy * vy)) + creep);
}
#endif
