// Finds the nearest points of two primitives: a point and a triangle, two edges, or a point and a half space. The
// result is a weight w_j for each of the pair's four nodes x_j. The sum of w_j x_j is the vector between the nearest
// points, and its length is the distance d. The derivative of d by x_j is w_j n, with n the unit vector along this
// vector. Derivatives of the weights do not contribute, since the weights are those for which d is smallest.
//
// A half space is given by three nodes in its plane. Its normal points to the side from which the three nodes are in
// counterclockwise order. The weights of the three nodes add up to -1. A single weight may be above 0 or below -1,
// since the nearest point may be outside the triangle of the nodes.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "device/host_device.h"

// Kinds of pairs of two primitives. Of the pair's four nodes, those of the first primitive come first: two nodes for
// PAIR_EDGES, else one. Checkpoint files contain these numbers, so they must not change.
typedef enum PairKind {
  PAIR_POINT_TRIANGLE,
  PAIR_EDGES,        // two edges of the surface
  PAIR_POINT_PLANE,  // a point, and a half space that three nodes define
  PAIR_KINDS
} PairKind;

/// Returns the number of nodes of a pair's first primitive: 2 for two edges, else 1.
HOST_DEVICE int pair_own(PairKind kind) {
  return kind == PAIR_EDGES ? 2 : 1;
}

HOST_DEVICE double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

HOST_DEVICE void subtract3(const double *a, const double *b, double *difference) {
  for (int i = 0; i < 3; i++) difference[i] = a[i] - b[i];
}

HOST_DEVICE void cross3(const double *a, const double *b, double *product) {
  product[0] = a[1] * b[2] - a[2] * b[1];
  product[1] = a[2] * b[0] - a[0] * b[2];
  product[2] = a[0] * b[1] - a[1] * b[0];
}

/// Computes y = B x for a symmetric B, stored as xx, yy, zz, xy, xz, yz.
HOST_DEVICE void multiply6(const double *B, const double *x, double *y) {
  y[0] = B[0] * x[0] + B[3] * x[1] + B[4] * x[2];
  y[1] = B[3] * x[0] + B[1] * x[1] + B[5] * x[2];
  y[2] = B[4] * x[0] + B[5] * x[1] + B[2] * x[2];
}

/// Computes B += factor * a a^T for a symmetric B, stored as xx, yy, zz, xy, xz, yz.
HOST_DEVICE void add_square6(double *B, double factor, const double *a) {
  for (int i = 0; i < 3; i++) B[i] += factor * a[i] * a[i];
  B[3] += factor * a[0] * a[1];
  B[4] += factor * a[0] * a[2];
  B[5] += factor * a[1] * a[2];
}

HOST_DEVICE double clamp01(double t) {
  return t < 0 ? 0 : t > 1 ? 1 : t;
}

/// Returns the position of the point of the edge from a to b that is nearest to p, as a number t: 0 at a, 1 at b.
HOST_DEVICE double nearest_on_edge(const double *p, const double *a, const double *b) {
  double ab[3], ap[3];
  subtract3(b, a, ab);
  subtract3(p, a, ap);
  const double length2 = dot3(ab, ab);
  return length2 > 0 ? clamp01(dot3(ab, ap) / length2) : 0;
}

/// Computes weights w_j for a point x[0] and a triangle x[1], x[2], x[3]: the sum of w_j x_j is the vector between the
/// point and the nearest point of the triangle. The nearest point is a corner, or on an edge, or inside the triangle
/// (Ericson, Real-Time Collision Detection, 5.1.5). A triangle without area is treated as its edges.
HOST_DEVICE void nearest_point_triangle(const double x[4][3], double weight[4]) {
  double ab[3], ac[3], ap[3], bp[3], cp[3], v, w;
  bool opposite = false;  // the nearest point is on the edge x[2], x[3]
  subtract3(x[2], x[1], ab);
  subtract3(x[3], x[1], ac);
  subtract3(x[0], x[1], ap);
  subtract3(x[0], x[2], bp);
  subtract3(x[0], x[3], cp);
  const double d1 = dot3(ab, ap), d2 = dot3(ac, ap), d3 = dot3(ab, bp), d4 = dot3(ac, bp), d5 = dot3(ab, cp),
               d6 = dot3(ac, cp);
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (d1 <= 0 && d2 <= 0)
    v = w = 0;
  else if (d3 >= 0 && d4 <= d3) {
    v = 1;
    w = 0;
  } else if (d6 >= 0 && d5 <= d6) {
    v = 0;
    w = 1;
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    v = d1 / (d1 - d3);
    w = 0;
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    v = 0;
    w = d2 / (d2 - d6);
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    v = 1 - w;
    opposite = true;
  } else {
    v = vb / (va + vb + vc);
    w = vc / (va + vb + vc);
  }

  // If the nearest point is on the edge x[2], x[3], the weight of x[1] must be exactly 0, but 1 - v - w may be rounded.
  weight[0] = 1;
  weight[1] = opposite ? 0 : -(1 - v - w);
  weight[2] = -v;
  weight[3] = -w;
}

/// Computes weights w_j for two edges, x[0] to x[1] and x[2] to x[3]: the sum of w_j x_j is the vector between their
/// nearest points (Ericson, Real-Time Collision Detection, 5.1.9). Parallel edges have many pairs of nearest points;
/// the function takes one of them.
HOST_DEVICE void nearest_edge_edge(const double x[4][3], double weight[4]) {
  double u[3], v[3], r[3];
  subtract3(x[1], x[0], u);
  subtract3(x[3], x[2], v);
  subtract3(x[0], x[2], r);
  const double a = dot3(u, u), e = dot3(v, v), f = dot3(v, r), c = dot3(u, r), b = dot3(u, v);
  const double across = a * e - b * b;
  double s = across > 1e-14 * a * e ? clamp01((b * f - c * e) / across) : 0;
  double t = e > 0 ? (b * s + f) / e : 0;
  if (t < 0) {
    t = 0;
    s = a > 0 ? clamp01(-c / a) : 0;
  } else if (t > 1) {
    t = 1;
    s = a > 0 ? clamp01((b - c) / a) : 0;
  }
  weight[0] = 1 - s;
  weight[1] = s;
  weight[2] = -(1 - t);
  weight[3] = -t;
}

/// Computes weights w_j for a point x[0] and a plane through x[1], x[2], x[3]: the sum of w_j x_j is the vector between
/// the point and its projection on the plane. Stores this vector in `apart`, and returns its length, m. Vector and
/// length are 0 if the point is below the plane. `apart` is computed from the normal, since the sum has a large
/// rounding error if weights are large.
HOST_DEVICE double nearest_point_plane(const double x[4][3], double weight[4], double apart[3]) {
  double u[3], v[3], r[3], N[3], along_v[3], along_u[3];
  subtract3(x[2], x[1], u);
  subtract3(x[3], x[1], v);
  subtract3(x[0], x[1], r);
  cross3(u, v, N);
  cross3(r, v, along_v);
  cross3(u, r, along_u);
  const double area2 = dot3(N, N), area = sqrt(area2);
  weight[2] = -dot3(along_v, N) / area2;
  weight[3] = -dot3(along_u, N) / area2;
  weight[0] = 1;
  weight[1] = -(1 + weight[2] + weight[3]);
  const double gap = dot3(N, r) / area, d = gap > 0 ? gap : 0;
  for (int i = 0; i < 3; i++) apart[i] = d * (N[i] / area);
  return d;
}

/// Returns the distance of a pair's two primitives, m. Also computes the weights w_j of the pair's four nodes, and
/// `apart`, the sum of w_j x_j: the vector from the nearest point of the second primitive to the nearest point of the
/// first, m.
HOST_DEVICE double nearest_distance(const double x[4][3], PairKind kind, double weight[4], double apart[3]) {
  if (kind == PAIR_POINT_PLANE) return nearest_point_plane(x, weight, apart);
  if (kind == PAIR_EDGES)
    nearest_edge_edge(x, weight);
  else
    nearest_point_triangle(x, weight);
  for (int i = 0; i < 3; i++)
    apart[i] = weight[0] * x[0][i] + weight[1] * x[1][i] + weight[2] * x[2][i] + weight[3] * x[3][i];
  return sqrt(dot3(apart, apart));
}
