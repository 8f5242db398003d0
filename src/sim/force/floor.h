// A floor z = height under the body: a penalty spring along the normal and Coulomb friction along the floor, both taken
// at the end of the step, whatever the time integrator does with the other forces. With g = height - z, k = modulus *
// contact, and e the way of a node along the floor since it last stuck (its anchor is the place it sticks to):
//   normal force   N = k g  where g > 0
//   friction       -k e     where k |e| <= friction N: it sticks, and the anchor stays
//                  -friction N e / |e|  else: it slips, and the anchor follows until k |e| = friction N
// (return mapping, as in Simo and Hughes, Computational Inelasticity, section 1.4, with N of the same iterate).
//
// Why the end of the step: 1/2 k g^2 is convex, so N (z1 - z0) is at most what the spring loses; and the return mapping
// gives -k e1 . (u1 - u0) <= 1/2 k (|e0|^2 - |e1|^2). The midpoint rule changes the kinetic energy by exactly force
// times way, and backward Euler by less. So whatever dt and stiffness, contact never feeds kinetic energy and springs
// together. Taken at the middle of the step, as the other forces are, a floor that is stiff over dt throws a body
// higher than it fell. docs/decisions/006-time-integrators-and-contact.md has figures.
//
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
  bool present;
  double height;    // m
  double modulus;   // Pa, of a wave through the material: lambda + 2 mu
  double friction;  // coefficient
} Floor;

#ifdef REAL
// What the floor does to one node.
typedef struct FloorContact {
  real force[3];            // N
  real tangent[3];          // N/m, of -force by displacement: xx, yy, zz
  real tangent_xy;          // the same; how friction changes with N is left out, which keeps it symmetric
  real anchor_x, anchor_y;  // m, displacement of the place the node sticks to from now on
  real energy;              // J, of both springs
} FloorContact;

/// How far a node gets in `time` s with momentum p [3] and, towards the floor, with load [3] N on top: what stands on
/// the floor is about to sink in, but not to slip.
HOST_DEVICE void floor_ahead(const real *p, const real *load, real mass, real time, real *ahead) {
  ahead[0] = ahead[1] = ahead[2] = 0;
  if (time == 0) return;
  ahead[0] = time * p[0] / mass;
  ahead[1] = time * p[1] / mass;
  ahead[2] = time * (p[2] + time * load[2]) / mass;
}

/// `X` and `u` [3] are the node's reference position and displacement at the end of the step, `anchor` [2] is from its
/// beginning, `stiffness` is k. `ahead` [3] is for Newton's first guess of who will touch and who will slip, else zero:
/// a node that so much farther is below the floor counts as touching, with a spring that pulls where it does not yet,
/// and friction is that of so much farther. Of what slips the tangent has `slip_share` of friction's secant stiffness
/// along its way: see newton_slip_share.
HOST_DEVICE FloorContact floor_contact(const real *X, const real *u, const real *ahead, const real *anchor, real height,
                                       real stiffness, real friction, real slip_share) {
  FloorContact c = { { 0, 0, 0 }, { 0, 0, 0 }, 0, u[0], u[1], 0 };
  const real depth = height - X[2] - u[2];
  if (!(depth > 0) && !(depth - ahead[2] > 0)) return c;
  const real k = stiffness, limit = depth > 0 ? friction * k * depth : (real)0;
  c.force[2] = k * depth;
  c.tangent[2] = k;
  c.energy = (real)0.5 * k * depth * depth;
  if (!(friction > 0)) return c;
  const real e[2] = { u[0] + ahead[0] - anchor[0], u[1] + ahead[1] - anchor[1] };
  const real way = (real)sqrt((double)(e[0] * e[0] + e[1] * e[1]));
  if (k * way <= limit) {
    c.force[0] = -k * e[0], c.force[1] = -k * e[1];
    c.tangent[0] = c.tangent[1] = k;
    c.anchor_x = anchor[0], c.anchor_y = anchor[1];
    c.energy += (real)0.5 * k * way * way;
    return c;
  }
  const real t[2] = { e[0] / way, e[1] / way }, secant = limit / way;
  c.force[0] = -limit * t[0], c.force[1] = -limit * t[1];
  c.tangent[0] = secant * t[1] * t[1], c.tangent[1] = secant * t[0] * t[0];
  c.tangent_xy = -secant * t[0] * t[1];
  if (slip_share > 0) {
    const real along = slip_share * secant;
    c.tangent[0] += along * t[0] * t[0], c.tangent[1] += along * t[1] * t[1];
    c.tangent_xy += along * t[0] * t[1];
  }
  c.anchor_x = u[0] - t[0] * (limit / k), c.anchor_y = u[1] - t[1] * (limit / k);
  c.energy += (real)0.5 * limit * (limit / k);
  return c;
}
#endif
