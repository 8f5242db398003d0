// Contact of nodes with a floor z = height: a penalty spring along the normal and Coulomb friction along the floor.
// Spring and friction are evaluated at the end of the time step, with every time integrator. g = height - z is the
// depth of a node below the floor, and k = modulus * contact is the node's contact stiffness, N/m. The anchor is the
// point of the floor to which the node sticks, and e is the node's displacement from the anchor along the floor:
//   normal force   N = k g  if g > 0
//   friction       -k e     if k |e| <= friction N: the node sticks, and the anchor does not move
//                  -friction N e / |e|  else: the node slips, and the anchor follows until k |e| = friction N
// This is return mapping (Simo and Hughes, Computational Inelasticity, section 1.4). N is the normal force in the
// present Newton iterate.
//
// Contact never increases the sum of kinetic energy and energy of the springs, for any time step and stiffness.
// Reasons, with indices 0 and 1 for the start and end of the time step:
//   - The energy 1/2 k g^2 is convex, so the work N (z1 - z0) is at most the energy that the normal spring loses.
//   - Return mapping gives -k e1 . (u1 - u0) <= 1/2 k (|e0|^2 - |e1|^2), so the work of friction is at most the energy
//     that the friction spring loses.
//   - The midpoint rule changes the kinetic energy by exactly force times displacement, and backward Euler by less.
// docs/decisions/006-time-integrators-and-contact.md explains why the midpoint rule does not evaluate contact at the
// middle of the time step.
//
// The length `contact`, m, is FLOOR_STIFFNESS times the cube root of the node's part of the body's volume. If cells
// differ in stiffness, it is also multiplied by the largest factor, relative to `modulus`, of the cells at the node.
// This makes the spring so stiff that a body at rest sinks into the floor only by a fraction of the size of its cells.
#pragma once
#include <math.h>
#include <stdbool.h>

#ifdef REAL
#include "base/real.h"
#endif
#include "device/host_device.h"

enum { FLOOR_STIFFNESS = 10 };  // factor in the length `contact`, described above

typedef struct Floor {
  bool present;     // true: there is a floor
  double height;    // z coordinate of the floor, m
  double modulus;   // Pa, P-wave modulus of the material: lambda + 2 mu
  double friction;  // coefficient of Coulomb friction
} Floor;

#ifdef REAL
// Force, tangent and energy of the floor at one node.
typedef struct FloorContact {
  real force[3];    // force of the floor on the node, N
  real tangent[3];  // N/m, derivative of -force by displacement: xx, yy, zz
  // N/m, entries xy and yx of the tangent. The derivative of friction by the normal force is left out, because the
  // tangent would be unsymmetric with it.
  real tangent_xy;
  real anchor_x, anchor_y;  // m, the new anchor: the displacements along x and y at which the node would be at its
                            // anchor
  real energy;              // J, energy of the normal spring and of the friction spring
} FloorContact;

/// Estimates ahead [3], m, the displacement of a node in the next `time` s, from its momentum p [3], kg m/s, and the z
/// component of load [3], N. The x and y components of the load are ignored, so that they do not make a body at rest
/// slip.
HOST_DEVICE void floor_ahead(const real *p, const real *load, real mass, real time, real *ahead) {
  ahead[0] = ahead[1] = ahead[2] = 0;
  if (time == 0) return;
  ahead[0] = time * p[0] / mass;
  ahead[1] = time * p[1] / mass;
  ahead[2] = time * (p[2] + time * load[2]) / mass;
}

/// Evaluates contact and friction between the floor and one node. X [3] is the node's position at rest, and u [3] is
/// its displacement at the end of the time step. `height` is the z coordinate of the floor. Friction ties the node to a
/// point of the floor, its anchor: anchor [2] are the x and y displacements at which the node would be at this point.
/// Positions and displacements are in m. `stiffness` is k, N/m.
///
/// ahead [3], m, is 0 or, in Newton's first evaluation, an estimate of the node's further displacement (floor_ahead).
/// A node touches if it is on or below the floor now, or if it would be below after this displacement. If such a node
/// is above the floor now, its spring pulls it down to the floor. A node exactly on the floor has no force, but the
/// stiffness of its spring, so that a body on the floor is held in static equilibrium. Friction uses u + ahead: the
/// slip e is u + ahead - anchor along the floor. In the tangent, a slipping node has the stiffness slip_fraction *
/// (friction force / |e|) along e; slip_fraction is 0 to 1 (newton_slip_fraction).
HOST_DEVICE FloorContact floor_contact(const real *X, const real *u, const real *ahead, const real *anchor, real height,
                                       real stiffness, real friction, real slip_fraction) {
  FloorContact c = { { 0, 0, 0 }, { 0, 0, 0 }, 0, u[0], u[1], 0 };
  const real depth = height - X[2] - u[2];
  if (!(depth >= 0) && !(depth - ahead[2] > 0)) return c;
  const real k = stiffness, limit = depth > 0 ? friction * k * depth : (real)0;
  c.force[2] = k * depth;
  c.tangent[2] = k;
  c.energy = (real)0.5 * k * depth * depth;
  if (!(friction > 0)) return c;
  const real e[2] = { u[0] + ahead[0] - anchor[0], u[1] + ahead[1] - anchor[1] };
  const real slip = (real)sqrt((double)(e[0] * e[0] + e[1] * e[1]));
  if (k * slip <= limit) {
    c.force[0] = -k * e[0];
    c.force[1] = -k * e[1];
    c.tangent[0] = c.tangent[1] = k;
    c.anchor_x = anchor[0];
    c.anchor_y = anchor[1];
    c.energy += (real)0.5 * k * slip * slip;
    return c;
  }

  const real t[2] = { e[0] / slip, e[1] / slip }, secant = limit / slip;
  c.force[0] = -limit * t[0];
  c.force[1] = -limit * t[1];
  c.tangent[0] = secant * t[1] * t[1];
  c.tangent[1] = secant * t[0] * t[0];
  c.tangent_xy = -secant * t[0] * t[1];
  if (slip_fraction > 0) {
    const real along = slip_fraction * secant;
    c.tangent[0] += along * t[0] * t[0];
    c.tangent[1] += along * t[1] * t[1];
    c.tangent_xy += along * t[0] * t[1];
  }

  c.anchor_x = u[0] - t[0] * (limit / k);
  c.anchor_y = u[1] - t[1] * (limit / k);
  c.energy += (real)0.5 * limit * (limit / k);
  return c;
}
#endif
