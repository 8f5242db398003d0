// The barrier between two surface primitives (point, edge, triangle or half space) pushes them apart before they touch.
// It is an energy of their distance d: zero if d is above `reach`, twice continuously differentiable, and infinite at d
// = 0. Sources: Li et al., Incremental Potential Contact (IPC), 2020, and for the energy as a function of d instead of
// d^2: Li et al., Convergent IPC, 2023.
//   E = area * modulus * reach * phi(d / reach),   phi(s) = -(s - 1)^2 ln s  below 1
// The pressure is -modulus * phi'(d / reach), which is 1.2 * modulus at d = reach / 2.
//
// The nearest points of two edges u and v jump when the edges become parallel, so that the force would jump too.
// Therefore the energy of two edges is multiplied by a factor m that falls to 0 when they become parallel: m = q (2 -
// q) if q = |u x v|^2 / ContactPair.across is below 1 (IPC, Eq. 24). Nearly parallel edges are kept apart by the pairs
// of their end points with adjacent triangles.
// A point and a half space have the same barrier as a point and a triangle.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "device/host_device.h"
#include "sim/contact/nearest.h"

// Data of a pair in the list of pairs that may touch (nearby.h). They do not change from one Newton iterate to the
// next.
typedef struct ContactPair {
  int node[4];
  PairKind kind;
  double reach;     // m, distance below which the pair pushes
  double strength;  // m^2, surface area that the pair represents times the largest stiffness factor of its nodes
                    // (Skin.factor); strength * modulus is a force, N
  double across;    // m^4, edges u and v with |u x v|^2 below this value count as nearly parallel
  double distance;  // m, distance when the list was made
  double closing;   // m, largest possible decrease of the distance while nodes move by the predicted displacements, for
                    // which the list was made
  double spread;    // if nodes deviate by at most d m from this prediction, the distance changes by at most spread * d
} ContactPair;

typedef struct BarrierValue {
  double energy, slope, curvature;  // energy, and its first and second derivative by the distance
} BarrierValue;

/// Returns the barrier's energy and derivatives at a distance, m, for strength 1 and modulus 1.
HOST_DEVICE BarrierValue barrier(double distance, double reach) {
  const double s = distance / reach, one = s - 1, log_s = log(s);
  const BarrierValue value = { -reach * one * one * log_s, -(2 * one * log_s + one * one / s),
                               -(2 * log_s + 4 * one / s - one * one / (s * s)) / reach };
  return value;
}

// Force and tangent of a pair that is closer than its reach. Block (i, j) of the tangent is curvature * w_i w_j n n^T,
// with w the weights and n the normal; it is positive semi-definite. The exact tangent has a second term, the energy's
// slope times the second derivative of the distance. It is omitted: if a nearest point is a corner it is negative, and
// CG needs a positive tangent; if two faces touch it is small.
typedef struct Touch {
  int node[4];
  double weight[4];
  double n[3];         // unit normal from the second primitive to the first
  double force[4][3];  // N
  double push;         // N, the normal force
  double curvature;    // N/m
  double energy;       // J
  PairKind kind;
  double tie;  // N/m, stiffness of the friction spring if the pair sticks (sliding.h); it does not depend on the
               // distance
} Touch;

/// Evaluates a pair with nodes at x [4][3], m, and fills *touch. Returns false if the distance is not below the pair's
/// reach; *touch is then invalid. The energy is infinite at distance 0.
HOST_DEVICE bool pair_touches(const ContactPair *pair, double modulus, const double x[4][3], Touch *touch) {
  double apart[3], u[3] = { 0 }, v[3] = { 0 };
  const double d = nearest_distance(x, pair->kind, touch->weight, apart);
  if (!(d < pair->reach)) return false;
  BarrierValue b = barrier(d, pair->reach);
  const double strength = modulus * pair->strength;
  double smooth = 1, falls = 0;  // the factor m for nearly parallel edges, and its derivative by |u x v|^2
  if (pair->kind == PAIR_EDGES) {
    subtract3(x[1], x[0], u), subtract3(x[3], x[2], v);
    const double q = (dot3(u, u) * dot3(v, v) - dot3(u, v) * dot3(u, v)) / pair->across;
    if (q < 1) smooth = q > 0 ? q * (2 - q) : 0, falls = 2 * (1 - (q > 0 ? q : 0)) / pair->across;
  }
  touch->push = -strength * smooth * b.slope;
  touch->curvature = strength * smooth * b.curvature;
  touch->energy = strength * smooth * b.energy;
  touch->kind = pair->kind, touch->tie = strength / pair->reach;
  for (int i = 0; i < 3; i++) touch->n[i] = d > 0 ? apart[i] / d : 0;
  for (int j = 0; j < 4; j++) {
    touch->node[j] = pair->node[j];
    for (int i = 0; i < 3; i++) touch->force[j][i] = touch->push * touch->weight[j] * touch->n[i];
  }
  if (falls > 0) {
    const double uu = dot3(u, u), vv = dot3(v, v), uv = dot3(u, v), factor = 2 * strength * b.energy * falls;
    for (int i = 0; i < 3; i++) {
      const double by_u = factor * (vv * u[i] - uv * v[i]), by_v = factor * (uu * v[i] - uv * u[i]);
      touch->force[0][i] += by_u, touch->force[1][i] -= by_u;
      touch->force[2][i] += by_v, touch->force[3][i] -= by_v;
    }
  }
  return true;
}
