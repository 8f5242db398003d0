// Coulomb's friction, smoothed and lagged: a pair's normal force, direction and nearest points are those of the step's
// beginning (Li et al., Incremental Potential Contact, 2020, section 5). With y, how far it has slid over how far
// `still` is: the force over the limit is y (2 - y) against the way while y < 1.
#pragma once
#include "sim/contact/nearest.h"

// A pair whose primitives slide on each other.
typedef struct Sliding {
  int node[4];
  double weight[4], n[3];
  double limit;  // N: the coefficient times the normal force
} Sliding;

/// How far the pair has slid from `start` to x [node_count][3], `e` [3] and its length.
HOST_DEVICE double sliding_way(const Sliding *s, const double (*start)[3], const double (*x)[3], double e[3]) {
  for (int i = 0; i < 3; i++) {
    e[i] = 0;
    for (int j = 0; j < 4; j++) e[i] += s->weight[j] * (x[s->node[j]][i] - start[s->node[j]][i]);
  }
  const double off = dot3(e, s->n);
  for (int i = 0; i < 3; i++) e[i] -= off * s->n[i];
  return sqrt(dot3(e, e));
}

/// The force on node j is minus this times w_j e, N/m; and the energy, J, that it is the slope of.
HOST_DEVICE double sliding_force(const Sliding *s, double way, double still, double *energy) {
  const double y = way / still, over_way = y < 1 ? (2 - y) / still : 1 / way;
  *energy = s->limit * (y < 1 ? still * (y * y - y * y * y / 3 + 1.0 / 3) : way);
  return s->limit * over_way;
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
  const double across = f * (y < 1 ? (2 - y) / still : 1 / way), along = f * (y < 1 ? 2 * (1 - y) / still : 0);
  for (int i = 0; i < 3; i++) B[i] = across, B[3 + i] = 0;
  add_square6(B, -across, s->n);
  for (int i = 0; i < 3; i++) e[i] = way > 0 ? e[i] / way : 0;
  if (way > 0) add_square6(B, along - across, e);
}
