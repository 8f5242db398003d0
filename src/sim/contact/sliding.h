// Coulomb's friction, lagged: a pair's normal force, direction and nearest points are those of the step's
// beginning (Li et al., Incremental Potential Contact, 2020, section 5). With the limit mu N it is one of two:
// - smoothed, as there: with y, how far the pair has slid in the step over how far `still` is, the force over the limit
//   is y (2 - y) against the way while y < 1. What presses sideways creeps, since only a speed makes a force.
// - a spring of stiffness k to where the pair stuck, with return mapping (Simo and Hughes, Computational Inelasticity,
//   section 1.4; the floor's law, floor.h): with e the way along the surface since then, -k e while k |e| <= limit,
//   else the limit against e, and what sticks is pulled along until k |e| = limit. Its potential in e is convex:
//   k |e|^2 / 2, then limit (|e| - limit / 2k). So with limit and stiffness of the step's beginning the work that the
//   pair does in the step is no more than what the spring gives back less what slipping loses, limit (|e| - limit / k):
//   it never feeds energy, whatever dt and k. k is the pair's own (Touch.tie) and stays while it touches, a limit that
//   falls takes energy from the spring, and a pair that parts loses it. What rests has e where forces balance, no way
//   in the step, and so creeps nowhere.
#pragma once
#include "sim/contact/nearest.h"

// A pair whose primitives slide on each other.
typedef struct Sliding {
  int node[4];
  double weight[4], n[3];
  double limit;       // N: the coefficient times the normal force
  double tie;         // N/m: of the spring where the pair sticks; 0: friction is the smoothed one
  double stretch[3];  // m, of that spring as the step begins
  bool edges;         // as of Touch
} Sliding;

/// How far the pair has slid from `start` to x [node_count][3], or from where it sticks, `e` [3] and its length.
HOST_DEVICE double sliding_way(const Sliding *s, const double (*start)[3], const double (*x)[3], double e[3]) {
  for (int i = 0; i < 3; i++) {
    e[i] = 0;
    for (int j = 0; j < 4; j++) e[i] += s->weight[j] * (x[s->node[j]][i] - start[s->node[j]][i]);
    if (s->tie > 0) e[i] += s->stretch[i];
  }
  const double off = dot3(e, s->n);
  for (int i = 0; i < 3; i++) e[i] -= off * s->n[i];
  return sqrt(dot3(e, e));
}

/// The force on node j is minus this times w_j e, N/m; and the energy, J, that it is the slope of.
HOST_DEVICE double sliding_force(const Sliding *s, double way, double still, double *energy) {
  if (s->tie > 0) {
    const double slip = s->limit / s->tie;
    *energy = way > slip ? s->limit * (way - 0.5 * slip) : 0.5 * s->tie * way * way;
    return way > slip ? s->limit / way : s->tie;
  }
  const double y = way / still, over_way = y < 1 ? (2 - y) / still : 1 / way;
  *energy = s->limit * (y < 1 ? still * (y * y - y * y * y / 3 + 1.0 / 3) : way);
  return s->limit * over_way;
}

/// What the spring has stored after such a way, J; 0 of smoothed friction.
HOST_DEVICE double sliding_stored(const Sliding *s, double way) {
  if (!(s->tie > 0)) return 0;
  const double kept = fmin(way, s->limit / s->tie);
  return 0.5 * s->tie * kept * kept;
}

/// y = B x, B as xx, yy, zz, xy, xz, yz.
HOST_DEVICE void multiply6(const double *B, const double *x, double *y) {
  y[0] = B[0] * x[0] + B[3] * x[1] + B[4] * x[2];
  y[1] = B[3] * x[0] + B[1] * x[1] + B[5] * x[2];
  y[2] = B[4] * x[0] + B[5] * x[1] + B[2] * x[2];
}

/// B += factor a a^T, likewise.
HOST_DEVICE void add_square6(double *B, double factor, const double *a) {
  for (int i = 0; i < 3; i++) B[i] += factor * a[i] * a[i];
  B[3] += factor * a[0] * a[1], B[4] += factor * a[0] * a[2], B[5] += factor * a[1] * a[2];
}

/// The tangent is w_i w_j B for nodes i and j, times `scale`; e, of length `way`, becomes of length 1.
HOST_DEVICE void sliding_tangent(const Sliding *s, double way, double still, double scale, double e[3], double B[6]) {
  // across e the force turns with it, along e it grows while y < 1
  const double y = way / still, f = scale * s->limit;
  double across = f * (y < 1 ? (2 - y) / still : 1 / way), along = f * (y < 1 ? 2 * (1 - y) / still : 0);
  if (s->tie > 0) {
    const bool slips = way > s->limit / s->tie;
    across = slips ? f / way : scale * s->tie, along = slips ? 0 : across;
  }
  for (int i = 0; i < 3; i++) B[i] = across, B[3 + i] = 0;
  add_square6(B, -across, s->n);
  for (int i = 0; i < 3; i++) e[i] = way > 0 ? e[i] / way : 0;
  if (way > 0) add_square6(B, along - across, e);
}
