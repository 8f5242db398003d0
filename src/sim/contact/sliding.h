// Coulomb's friction of contact pairs. Friction is lagged: the normal force N, the normal and the nearest points are
// those at the start of the time step (Li et al., Incremental Potential Contact (IPC), 2020, section 5). The friction
// force is at most `limit` = mu N, with mu the coefficient of friction. A pair follows one of two laws:
//
// 1. Smoothed friction, as in IPC. Let y be the distance that the pair slides in the time step, divided by a small
// distance `still`. The force against the motion is limit * y (2 - y) if y < 1, else `limit`. A body under a constant
// tangential load creeps, since there is no force without motion.
//
// 2. Static friction by a spring of stiffness k, with return mapping (Simo and Hughes, Computational Inelasticity,
// section 1.4), as for the floor (floor.h). Let e be the tangential displacement of the pair from its sticking point,
// which is at first the position of the first touch. The force is -k e while k |e| <= limit. If k |e| is larger, the
// pair slips with a force of magnitude `limit`, and after the time step the sticking point moves so that k |e| = limit.
//
// Static friction never adds energy, for any duration of the time step and any k. The reason is that the potential of
// the friction force in a time step is convex in e: k |e|^2 / 2 while the pair sticks, and limit (|e| - limit / 2k)
// while it slips. The work of the pair in a time step is therefore at most the energy that the spring releases, minus
// the loss by slip, limit (|e| - limit / k). If `limit` decreases or the pair separates, the energy in the spring only
// decreases. k is constant while the pair touches (Touch.tie in barrier.h).
#pragma once
#include "sim/contact/nearest.h"

// A pair with friction in the present time step. The relative displacement of its two nearest points is the sum of
// weight[j] times the displacement of node j, over the pair's four nodes.
typedef struct Sliding {
  int node[4];             // the four nodes of the pair
  double weight[4], n[3];  // the nodes' weights (nearest.h) and the unit normal, at the start of the step
  double limit;            // N, coefficient of friction times the normal force
  double tie;              // N/m, stiffness of the friction spring; 0: smoothed friction
  double stretch[3];       // m, stretch of the friction spring at the start of the time step
  PairKind kind;           // point and triangle, two edges, or point and half space
} Sliding;

/// Returns the largest friction force of a pair, N (Sliding.limit): the coefficient of friction, `friction`, times the
/// normal force, `push`. If `holds` is true, the result is so large that the pair sticks at any load, unless its
/// coefficient of friction is 0.
HOST_DEVICE double sliding_limit(double friction, double push, bool holds) {
  return holds && friction > 0 ? 1e30 : friction * push;
}

/// Computes e [3], m: the tangential displacement of a pair while nodes move from `start` to x, both [node_count][3],
/// plus the stretch of the friction spring. Returns the length of e.
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

/// Returns f, the friction force divided by the length of e, N/m. e is the tangential displacement of the pair, from
/// sliding_path. The force on node j of the pair is -f w_j e, with w_j the node's weight. Stores the potential of the
/// friction force, J, in *energy. path: the length of e, m. still, m: distance below which friction is smoothed
/// (law 1).
HOST_DEVICE double sliding_force(const Sliding *s, double path, double still, double *energy) {
  if (s->tie > 0) {
    const double slip = s->limit / s->tie;
    *energy = path > slip ? s->limit * (path - 0.5 * slip) : 0.5 * s->tie * path * path;
    return path > slip ? s->limit / path : s->tie;
  }
  const double y = path / still, over_path = y < 1 ? (2 - y) / still : 1 / path;
  *energy = s->limit * (y < 1 ? still * (y * y - y * y * y / 3 + 1.0 / 3) : path);
  return s->limit * over_path;
}

/// Returns the elastic energy of a pair's friction spring, J; 0 for smoothed friction. path: length, m, of the pair's
/// tangential displacement e, the result of sliding_path.
HOST_DEVICE double sliding_stored(const Sliding *s, double path) {
  if (!(s->tie > 0)) return 0;
  const double kept = fmin(path, s->limit / s->tie);
  return 0.5 * s->tie * kept * kept;
}

/// Computes `scale` times the tangent of a pair's friction: B, N/m times `scale`, a symmetric 3x3 matrix stored as xx,
/// yy, zz, xy, xz, yz. The 3x3 block of the tangent for nodes i and j of the pair is w_i w_j B, with weights w_i and
/// w_j of the nodes. Input: e, the result of sliding_path; `path`, the length of e in m; and `still`, m, the distance
/// below which friction is smoothed. slip_fraction, 0 to 1: while the pair slips, B contains this fraction of the
/// secant stiffness along e, which is the friction force divided by the length of e. On output, e is divided by its
/// length.
HOST_DEVICE void sliding_tangent(const Sliding *s, double path, double still, double scale, double slip_fraction,
                                 double e[3], double B[6]) {
  // across: stiffness perpendicular to e; it is not 0, because the force turns with e. along: stiffness along e. While
  // the pair slips, the exact stiffness along e is 0, and `across` is the secant stiffness.
  const double y = path / still, f = scale * s->limit;
  double across = f * (y < 1 ? (2 - y) / still : 1 / path), along = f * (y < 1 ? 2 * (1 - y) / still : 0);
  if (s->tie > 0) {
    const bool slips = path > s->limit / s->tie;
    across = slips ? f / path : scale * s->tie;
    along = slips ? 0 : across;
  }
  if (slip_fraction > 0 && along == 0) along = slip_fraction * across;
  for (int i = 0; i < 3; i++) {
    B[i] = across;
    B[3 + i] = 0;
  }
  add_square6(B, -across, s->n);
  for (int i = 0; i < 3; i++) e[i] = path > 0 ? e[i] / path : 0;
  if (path > 0) add_square6(B, along - across, e);
}
