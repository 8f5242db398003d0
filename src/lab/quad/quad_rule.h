// Shape functions and Gauss points of quadrilaterals of degree p = 1 to 4. The reference square [-1, 1]^2 has (p+1)^2
// equidistant nodes and (p+1)^2 Gauss points, both numbered row by row: node i = iy (p+1) + ix is in row iy and column
// ix, and point q = qy (p+1) + qx in row qy and column qx. The cell is the bilinear map of the square to its four
// corners, which form any convex quadrilateral (paper 001, section 4.1). At Gauss point q, the shape function of node i
// has the value
//   phi_i(q) = N[qy][iy] N[qx][ix]
// N[q][a] is the Lagrange polynomial of node a of a line at Gauss point q of the line, and D[q][a] its derivative. The
// gradient of phi_i has the components N[qy][iy] D[qx][ix] along the rows and D[qy][iy] N[qx][ix] along the columns.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"

enum { QUAD_LINE_MAX = 5, QUAD_NODES_MAX = QUAD_LINE_MAX * QUAD_LINE_MAX };

typedef struct QuadRule {
  real point[QUAD_LINE_MAX], weight[QUAD_LINE_MAX];  // Gauss points and weights of the line [-1, 1]
  real N[QUAD_LINE_MAX][QUAD_LINE_MAX];              // [point][node], Lagrange polynomial of each node at each point
  real D[QUAD_LINE_MAX][QUAD_LINE_MAX];              // [point][node], derivative of each Lagrange polynomial
} QuadRule;

// Computes the `count` Gauss points and weights of the line [-1, 1], for 2 to 5 points.
static inline void gauss_line(int count, double *point, double *weight) {
  const double root = sqrt(1.2), tail = 2 * sqrt(10. / 7);
  const double two[] = { 1 / sqrt(3.) }, three[] = { sqrt(0.6), 0 };
  const double four[] = { sqrt((3 + 2 * root) / 7), sqrt((3 - 2 * root) / 7) };
  const double five[] = { sqrt(5 + tail) / 3, sqrt(5 - tail) / 3, 0 };
  const double weight_two[] = { 1 }, weight_three[] = { 5. / 9, 8. / 9 };
  const double weight_four[] = { (18 - sqrt(30.)) / 36, (18 + sqrt(30.)) / 36 };
  const double weight_five[] = { (322 - 13 * sqrt(70.)) / 900, (322 + 13 * sqrt(70.)) / 900, 128. / 225 };
  const double *points[] = { two, three, four, five };
  const double *weights[] = { weight_two, weight_three, weight_four, weight_five };
  for (int q = 0; q < count; q++) {
    const int k = q < count - 1 - q ? q : count - 1 - q;
    point[q] = (q < count - 1 - q ? -1 : 1) * points[count - 2][k];
    weight[q] = weights[count - 2][k];
  }
}

/// Computes *value, the Lagrange polynomial of node `a` at the coordinate xi of the line [-1, 1], and *derivative. The
/// line has degree + 1 equidistant nodes. The polynomial is 1 at node `a` and 0 at the other nodes.
static inline void quad_line(int degree, int a, double xi, double *value, double *derivative) {
  const double own = -1 + 2. * a / degree;
  double N = 1, D = 0;
  for (int b = 0; b <= degree; b++) {
    if (b == a) continue;
    const double other = -1 + 2. * b / degree;
    D = (D * (xi - other) + N) / (own - other);
    N *= (xi - other) / (own - other);
  }
  *value = N;
  *derivative = D;
}

/// Returns Gauss points, weights and shape functions (QuadRule) for cells of this degree. They are computed in double
/// and then rounded to `real`.
static inline QuadRule quad_rule(int degree) {
  QuadRule rule = { { 0 }, { 0 }, { { 0 } }, { { 0 } } };
  double point[QUAD_LINE_MAX], weight[QUAD_LINE_MAX], N, D;
  gauss_line(degree + 1, point, weight);
  for (int q = 0; q <= degree; q++) {
    rule.point[q] = (real)point[q];
    rule.weight[q] = (real)weight[q];
    for (int a = 0; a <= degree; a++) {
      quad_line(degree, a, point[q], &N, &D);
      rule.N[q][a] = (real)N;
      rule.D[q][a] = (real)D;
    }
  }
  return rule;
}

// The bilinear map from the reference square to a cell, and the cell's conductivity. The map is stored by its
// derivatives: the position x has dx/dxi = A + eta B and dx/deta = C + xi B.
typedef struct QuadMap {
  real A[2], B[2], C[2], conductivity;
} QuadMap;

enum { QUAD_MAP = 7 };  // number of reals of a QuadMap

// Computes the tensor T = weight * conductivity * |det J| J^-1 J^-T of the Gauss point (xi, eta). J is the Jacobian
// matrix of the map. T is a symmetric 2 x 2 matrix, stored as (T_00, T_01, T_11). It contains all that the element
// matrix needs of a point: K_ij = sum over the points of grad phi_i . T grad phi_j, with gradients on the reference
// square.
HOST_DEVICE void quad_tensor(const QuadMap *map, real xi, real eta, real weight, real T[3]) {
  const real x0 = map->A[0] + eta * map->B[0], x1 = map->A[1] + eta * map->B[1];  // dx/dxi
  const real y0 = map->C[0] + xi * map->B[0], y1 = map->C[1] + xi * map->B[1];    // dx/deta
  const real det = x0 * y1 - x1 * y0, factor = weight * map->conductivity / (det < 0 ? -det : det);
  T[0] = factor * (y0 * y0 + y1 * y1);
  T[1] = -factor * (x0 * y0 + x1 * y1);
  T[2] = factor * (x0 * x0 + x1 * x1);
}

// Returns weight * |det J| of a Gauss point. The sum of these numbers over the points of a cell is the area of the
// cell.
HOST_DEVICE real quad_area(const QuadMap *map, real xi, real eta, real weight) {
  const real x0 = map->A[0] + eta * map->B[0], x1 = map->A[1] + eta * map->B[1];
  const real y0 = map->C[0] + xi * map->B[0], y1 = map->C[1] + xi * map->B[1];
  const real det = x0 * y1 - x1 * y0;
  return weight * (det < 0 ? -det : det);
}
