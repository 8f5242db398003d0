// Bounds the distance of a point from a half space while both move (PAIR_POINT_PLANE). The surface of the half space is
// the plane through three nodes, and all nodes move on straight lines. Let t, 0 to 1, be the fraction of the motion.
// Let u and v be two sides of the triangle of the three nodes, and r the vector from a node of the triangle to the
// point. The normal N = u x v is quadratic in t. So N . r, which is the distance times |N|, is a cubic polynomial in t.
// The values of a polynomial are between its smallest and its largest Bernstein coefficient. The coefficients therefore
// bound the distance without a search. The bounds are exact if the plane does not turn.
//
// advance.h bounds the decrease of a distance by lengths of displacements. For a plane, that bound would stop a body
// that slides along the plane.
#pragma once
#include "sim/contact/nearest.h"

/// Computes gap [4], m, the Bernstein coefficients of a cubic polynomial in t, which bounds the signed distance of the
/// point x[0] from the plane through x[1] to x[3]. If the polynomial is positive at t, the signed distance at t is at
/// least as large as the polynomial. If the plane does not turn, polynomial and distance are equal. Both are negative
/// if the point is below the plane.
HOST_DEVICE void half_space_gap(const double x[4][3], const double displacement[4][3], double gap[4]) {
  // u, v: two sides of the triangle; r: vector from its first corner to the point. Element 0 is at t = 0, element 1 at
  // t = 1.
  double u[2][3], v[2][3], r[2][3];

  // N: Bernstein coefficients of the normal, whose length is twice the area of the triangle; mixed: work array for N[1]
  double N[3][3], mixed[3];
  subtract3(x[2], x[1], u[0]);
  subtract3(x[3], x[1], v[0]);
  subtract3(x[0], x[1], r[0]);
  for (int i = 0; i < 3; i++) {
    u[1][i] = u[0][i] + (displacement[2][i] - displacement[1][i]);
    v[1][i] = v[0][i] + (displacement[3][i] - displacement[1][i]);
    r[1][i] = r[0][i] + (displacement[0][i] - displacement[1][i]);
  }

  cross3(u[0], v[0], N[0]);
  cross3(u[1], v[1], N[2]);
  cross3(u[0], v[1], N[1]);
  cross3(u[1], v[0], mixed);
  for (int i = 0; i < 3; i++) N[1][i] = (N[1][i] + mixed[i]) / 2;
  const double area = sqrt(fmax(dot3(N[0], N[0]), fmax(dot3(N[1], N[1]), dot3(N[2], N[2]))));
  gap[0] = dot3(N[0], r[0]) / area;
  gap[1] = (dot3(N[0], r[1]) + 2 * dot3(N[1], r[0])) / (3 * area);
  gap[2] = (2 * dot3(N[1], r[1]) + dot3(N[2], r[0])) / (3 * area);
  gap[3] = dot3(N[2], r[1]) / area;
}

/// Returns an upper bound on the decrease of the distance during the motion, m. gap [4]: Bernstein coefficients of a
/// polynomial that bounds the distance (half_space_gap). After a fraction t of the motion, the distance is at least
/// gap[0] - t * bound.
HOST_DEVICE double half_space_closing(const double gap[4]) {
  return fmax(0.0, fmax(3 * (gap[0] - gap[1]), fmax(1.5 * (gap[0] - gap[2]), gap[0] - gap[3])));
}

/// Returns a factor f for deviations from the motion. If each node is up to d m away from x + t * displacement, the
/// distance of point and plane changes by at most f * d m. If the point is far from the three nodes of the plane, f is
/// large, because the weights of these nodes (nearest.h) are then large. The factor WEIGHTS_CHANGE covers the change of
/// the weights during the motion.
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

/// Returns the safe fraction, 0 to 1, of the displacements [4][3], m, of a point and a half space. Up to this fraction,
/// the point stays at least `keeps`, m, above the plane. The caller needs no fraction above `tested`, nor above *least,
/// the smallest result of other pairs so far (NULL: none). If the pair is safe up to `tested` or up to *least, the
/// result is therefore 1: the pair sets no limit.
HOST_DEVICE double half_space_advance(const double x[4][3], const double displacement[4][3], double keeps,
                                      double tested, const volatile double *least) {
  enum { PARTS_MAX = 40 };  // largest number of parts of the motion that are tested one after the other
  double gap[4], t = 0;
  half_space_gap(x, displacement, gap);
  for (int k = 0; k < 4; k++) gap[k] -= keeps;
  for (int part = 0; part < PARTS_MAX && gap[0] > 0; part++) {
    if (gap[1] >= 0 && gap[2] >= 0 && gap[3] >= 0) return 1;

    // The polynomial is positive at least up to the fraction s of the remaining motion.
    const double s = fmin(gap[0] / half_space_closing(gap), 1.0);
    t += s * (1 - t);
    if (t >= tested || (least && t >= *least)) return 1;

    // Compute the Bernstein coefficients on the remaining interval, by de Casteljau's algorithm.
    for (int level = 0; level < 3; level++)
      for (int k = 0; k < 3 - level; k++) gap[k] += s * (gap[k + 1] - gap[k]);
    if (gap[0] <= keeps) break;
  }
  return t;
}
