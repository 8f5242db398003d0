// Coulomb's friction, lagged: a pair's normal force, direction and nearest points are those at the start of the step
// (Li et al., Incremental Potential Contact, 2020, section 5). With the limit mu N it follows one of two laws:
// - Smoothed, as in IPC: with y the sliding distance in the step over `still`, the force is the limit times y (2 - y),
//   against the motion, while y < 1. A constant tangential load makes a body creep, since only a speed creates a force.
// - A spring of stiffness k from the sticking point, with return mapping (Simo and Hughes, Computational Inelasticity,
//   section 1.4; also the law of the floor, floor.h). Let e be the tangential displacement from that point. The force
//   is -k e while k |e| <= limit. Beyond, it is the limit against e, and the sticking point follows so that k |e| =
//   limit. The potential in e is convex: k |e|^2 / 2, then limit (|e| - limit / 2k). Limit and k are those at the start
//   of the step, so the work of the pair in the step is at most the energy that the spring releases less the loss by
//   slipping, limit (|e| - limit / k). Friction therefore never adds energy, whatever dt and k. k belongs to the pair
//   (Touch.tie) and is constant while it touches. A limit that falls takes energy from the spring, and a pair that
//   separates loses it. A body at rest keeps its e, with no displacement in a step, so it does not creep.
#pragma once
#include "sim/contact/nearest.h"

// A pair whose primitives slide on each other.
typedef struct Sliding {
  int node[4];
  double weight[4], n[3];
  double limit;       // N: the coefficient times the normal force
  double tie;         // N/m: of the spring if the pair sticks; 0: smoothed friction
  double stretch[3];  // m, of that spring at the start of the step
  PairKind kind;
} Sliding;

/// Computes `e` [3], the tangential displacement of a pair from `start` to x [node_count][3] plus the stretch of its
/// spring. Returns its length.
HOST_DEVICE double sliding_path(const Sliding *s, const double (*start)[3], const double (*x)[3], double e[3]) {
  for (int i = 0; i < 3; i++) {
    e[i] = 0;
    for (int j = 0; j < 4; j++) e[i] += s->weight[j] * (x[s->node[j]][i] - start[s->node[j]][i]);
    if (s->tie > 0) e[i] += s->stretch[i];
  }
  const double off = dot3(e, s->n);
  for (int i = 0; i < 3; i++) e[i] -= off * s->n[i];
  return sqrt(dot3(e, e));
}

/// Returns a factor f, N/m: the friction on node j is -f w_j e. Also computes the energy, J, with this gradient.
HOST_DEVICE double sliding_force(const Sliding *s, double displacement, double still, double *energy) {
  if (s->tie > 0) {
    const double slip = s->limit / s->tie;
    *energy = displacement > slip ? s->limit * (displacement - 0.5 * slip) : 0.5 * s->tie * displacement * displacement;
    return displacement > slip ? s->limit / displacement : s->tie;
  }
  const double y = displacement / still, over_path = y < 1 ? (2 - y) / still : 1 / displacement;
  *energy = s->limit * (y < 1 ? still * (y * y - y * y * y / 3 + 1.0 / 3) : displacement);
  return s->limit * over_path;
}

/// Returns the energy stored in the spring at a displacement of length `displacement`, J; 0 for smoothed friction.
HOST_DEVICE double sliding_stored(const Sliding *s, double displacement) {
  if (!(s->tie > 0)) return 0;
  const double kept = fmin(displacement, s->limit / s->tie);
  return 0.5 * s->tie * kept * kept;
}

/// Computes y = B x for a symmetric B, stored as xx, yy, zz, xy, xz, yz.
HOST_DEVICE void multiply6(const double *B, const double *x, double *y) {
  y[0] = B[0] * x[0] + B[3] * x[1] + B[4] * x[2];
  y[1] = B[3] * x[0] + B[1] * x[1] + B[5] * x[2];
  y[2] = B[4] * x[0] + B[5] * x[1] + B[2] * x[2];
}

/// Computes B += factor a a^T, B stored as in multiply6.
HOST_DEVICE void add_square6(double *B, double factor, const double *a) {
  for (int i = 0; i < 3; i++) B[i] += factor * a[i] * a[i];
  B[3] += factor * a[0] * a[1], B[4] += factor * a[0] * a[2], B[5] += factor * a[1] * a[2];
}

/// Computes B of the tangent, whose block for nodes i and j is w_i w_j B, times `scale`. Normalises e, whose length is
/// `displacement`.
HOST_DEVICE void sliding_tangent(const Sliding *s, double displacement, double still, double scale, double e[3],
                                 double B[6]) {
  // perpendicular to e the force rotates with e; along e it grows while y < 1
  const double y = displacement / still, f = scale * s->limit;
  double across = f * (y < 1 ? (2 - y) / still : 1 / displacement), along = f * (y < 1 ? 2 * (1 - y) / still : 0);
  if (s->tie > 0) {
    const bool slips = displacement > s->limit / s->tie;
    across = slips ? f / displacement : scale * s->tie, along = slips ? 0 : across;
  }
  for (int i = 0; i < 3; i++) B[i] = across, B[3 + i] = 0;
  add_square6(B, -across, s->n);
  for (int i = 0; i < 3; i++) e[i] = displacement > 0 ? e[i] / displacement : 0;
  if (displacement > 0) add_square6(B, along - across, e);
}
