// Motion of a point and a half space whose nodes move on straight lines (PAIR_POINT_PLANE). The plane's normal, scaled
// by twice the area of the nodes' triangle, is a quadratic polynomial of the fraction t of the displacements, so the
// scaled distance is a cubic polynomial. In Bernstein form a polynomial stays within the hull of its coefficients,
// which gives bounds without a search. If the plane does not turn, the distance is linear and the bounds are exact. A
// bound by lengths of displacements, as for triangles, would stop bodies that slide along a plane.
#pragma once
#include "sim/contact/nearest.h"

/// Computes the Bernstein coefficients of a cubic polynomial of t in 0 to 1, m. The distance of the point at t is at
/// least the polynomial's value, and equal to it while the plane does not turn; below the plane both are negative.
HOST_DEVICE void half_space_gap(const double x[4][3], const double displacement[4][3], double gap[4]) {
  double u[2][3], v[2][3], r[2][3];  // at t = 0 and 1: two sides of the triangle, and the point from its first corner
  double N[3][3], mixed[3];          // coefficients of the scaled normal
  subtract3(x[2], x[1], u[0]), subtract3(x[3], x[1], v[0]), subtract3(x[0], x[1], r[0]);
  for (int i = 0; i < 3; i++) {
    u[1][i] = u[0][i] + (displacement[2][i] - displacement[1][i]);
    v[1][i] = v[0][i] + (displacement[3][i] - displacement[1][i]);
    r[1][i] = r[0][i] + (displacement[0][i] - displacement[1][i]);
  }
  cross3(u[0], v[0], N[0]), cross3(u[1], v[1], N[2]);
  cross3(u[0], v[1], N[1]), cross3(u[1], v[0], mixed);
  for (int i = 0; i < 3; i++) N[1][i] = (N[1][i] + mixed[i]) / 2;
  const double area = sqrt(fmax(dot3(N[0], N[0]), fmax(dot3(N[1], N[1]), dot3(N[2], N[2]))));
  gap[0] = dot3(N[0], r[0]) / area;
  gap[1] = (dot3(N[0], r[1]) + 2 * dot3(N[1], r[0])) / (3 * area);
  gap[2] = (2 * dot3(N[1], r[1]) + dot3(N[2], r[0])) / (3 * area);
  gap[3] = dot3(N[2], r[1]) / area;
}

/// Returns a bound on the decrease of gap[0] of half_space_gap: the distance at t is at least gap[0] - t * bound.
HOST_DEVICE double half_space_closing(const double gap[4]) {
  return fmax(0.0, fmax(3 * (gap[0] - gap[1]), fmax(1.5 * (gap[0] - gap[2]), gap[0] - gap[3])));
}

/// Returns a bound on the change of the distance over the deviation of the nodes from x and x + displacement, and from
/// places between: nodes of the plane far from the point have large weights. The factor covers changes of weights.
HOST_DEVICE double half_space_spread(const double x[4][3], const double displacement[4][3]) {
  const double WEIGHTS_CHANGE = 1.1;
  double most = 1;
  for (int end = 0; end < 2; end++) {
    double at[4][3], weight[4], apart[3];
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) at[j][i] = x[j][i] + end * displacement[j][i];
    nearest_point_plane((const double(*)[3])at, weight, apart);
    most = fmax(most, fabs(weight[1]) + fabs(weight[2]) + fabs(weight[3]));
  }
  return 1 + WEIGHTS_CHANGE * most;
}

/// As pair_advance, with the distance that is kept, m.
HOST_DEVICE double half_space_advance(const double x[4][3], const double displacement[4][3], double keeps,
                                      double tested, const volatile double *least) {
  enum { PARTS_MAX = 40 };
  double gap[4], t = 0;
  half_space_gap(x, displacement, gap);
  for (int k = 0; k < 4; k++) gap[k] -= keeps;
  for (int part = 0; part < PARTS_MAX && gap[0] > 0; part++) {
    if (gap[1] >= 0 && gap[2] >= 0 && gap[3] >= 0) return 1;
    // the polynomial stays above 0 up to the fraction s of the rest of the displacements
    const double s = fmin(gap[0] / half_space_closing(gap), 1.0);
    t += s * (1 - t);
    if (t >= tested || (least && t >= *least)) return 1;
    // coefficients of the rest, by de Casteljau's algorithm
    for (int level = 0; level < 3; level++)
      for (int k = 0; k < 3 - level; k++) gap[k] += s * (gap[k + 1] - gap[k]);
    if (gap[0] <= keeps) break;
  }
  return t;
}
