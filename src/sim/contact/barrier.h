// The barrier between a pair of surface primitives: an energy that is zero beyond the distance `reach`, twice
// continuously differentiable, and infinite at distance zero (Li et al., Incremental Potential Contact, 2020; as a
// function of the distance itself: Li et al., Convergent IPC, 2023):
//   E = area * modulus * reach * phi(d / reach),   phi(s) = -(s - 1)^2 ln s  below 1
// The pressure is modulus * -phi': 1.2 moduli at half the reach.
//
// The nearest points of parallel edges jump. Therefore the energy of two edges is multiplied by m = q (2 - q) with q =
// |u x v|^2 / across below 1 (IPC, Eq. 24); pairs of points and triangles keep nearly parallel edges apart.
// A point and a half space have the barrier of a point and a triangle.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "device/host_device.h"
#include "sim/contact/nearest.h"

// Constant data of a pair, independent of the state.
typedef struct ContactPair {
  int node[4];
  PairKind kind;
  double reach;     // m: the pair pushes below this distance
  double strength;  // m^2: area times the nodes' stiffness factor; times the modulus, N
  double across;    // m^4: edges with |u x v|^2 below this value count as parallel
  double distance;  // m: distance when the pair was found
  double closing;   // m: bound on the decrease of the distance along the predicted displacement
  double spread;    // bound on the change of the distance, over the largest deviation of its nodes
} ContactPair;

typedef struct BarrierValue {
  double energy, slope, curvature;  // energy, and its derivatives by the distance
} BarrierValue;

/// Returns the barrier for strength 1 and modulus 1.
HOST_DEVICE BarrierValue barrier(double distance, double reach) {
  const double s = distance / reach, one = s - 1, log_s = log(s);
  const BarrierValue value = { -reach * one * one * log_s, -(2 * one * log_s + one * one / s),
                               -(2 * log_s + 4 * one / s - one * one / (s * s)) / reach };
  return value;
}

// Force and tangent of a touching pair. Block (i, j) of the tangent is curvature w_i w_j n n^T, which is positive
// semi-definite. The omitted term, slope times the second derivative of the distance, is negative if a nearest point is
// a corner, and small if faces meet.
typedef struct Touch {
  int node[4];
  double weight[4];
  double n[3];         // from the second primitive to the first
  double force[4][3];  // N
  double push;         // N, the normal force
  double curvature;    // N/m
  double energy;       // J
  PairKind kind;
  double tie;  // N/m: stiffness of the pair's friction spring; it depends on the pair only, not on its state
} Touch;

/// Evaluates the pair at x [4][3] into *touch. Returns false if it is further apart than its reach. The energy is
/// infinite at distance zero.
HOST_DEVICE bool pair_touches(const ContactPair *pair, double modulus, const double x[4][3], Touch *touch) {
  double apart[3], u[3] = { 0 }, v[3] = { 0 };
  const double d = nearest_distance(x, pair->kind, touch->weight, apart);
  if (!(d < pair->reach)) return false;
  BarrierValue b = barrier(d, pair->reach);
  const double strength = modulus * pair->strength;
  double smooth = 1, falls = 0;  // m, and dm / d|u x v|^2
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
