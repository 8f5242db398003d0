// The plate rectangle of Adini, Clough and Melosh with 12 terms: the deflection w is a full cubic polynomial plus x^3 y
// and x y^3 (A_quad of paper 003). Its sides must be along x and y. Let a and b be half the lengths of the sides along
// x and y, xi and eta the coordinates in [-1, 1] of a point, and (s, t) those of a node, each 1 or -1. The unknowns of
// a node are w, w_x and w_y. Their shape functions are
//   of w    (1 + s xi)(1 + t eta)(2 + s xi + t eta - xi^2 - eta^2) / 8
//   of w_x  a s (1 + s xi)^2 (s xi - 1)(1 + t eta) / 8
//   of w_y  b t (1 + t eta)^2 (t eta - 1)(1 + s xi) / 8
// Paper 003 has the unknowns (w, w_y, -w_x). lab/stationary/element/plate.h explains the functions that a bending shape
// defines.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/space.h"

enum { SHAPE_NODES = 4, SHAPE_POINTS = 9, SHAPE_SUPPLEMENTAL = 1 };

// Returns the coordinate of Gauss point k, 0 to 2, of the line [-1, 1], and sets *weight to its weight.
HOST_DEVICE real acm_point(int k, real *weight) {
  *weight = k == 1 ? (real)(8.0 / 9) : (real)(5.0 / 9);
  return (k - 1) * (real)0.77459666924148337704;
}

// Sets side[0] and side[1] to half the lengths of the sides along x and y. nodal [4][3] holds x, y and the load q of
// each node.
HOST_DEVICE void acm_sides(const real *nodal, real side[2]) {
  side[0] = (nodal[3] - nodal[0]) / 2;
  side[1] = (nodal[7] - nodal[1]) / 2;
}

HOST_DEVICE real plate_curvatures(const real *nodal, const real *S, int q, real B[3][3 * SHAPE_NODES]) {
  (void)S;
  real side[2], w[2];
  acm_sides(nodal, side);
  const real a = side[0], b = side[1], xi = acm_point(q % 3, &w[0]), eta = acm_point(q / 3, &w[1]);
  for (int n = 0; n < SHAPE_NODES; n++) {
    const int s = n % 2 ? 1 : -1, t = n / 2 ? 1 : -1;
    const real x = s * xi, y = t * eta;  // x and y are both 1 at the node (s, t)
    real *xx = B[0] + 3 * n, *yy = B[1] + 3 * n, *xy = B[2] + 3 * n;

    // second derivatives of the shape function of the deflection w, (1 + x)(1 + y)(2 + x + y - x^2 - y^2) / 8
    xx[0] = -3 * x * (1 + y) / (4 * a * a);
    yy[0] = -3 * y * (1 + x) / (4 * b * b);
    xy[0] = s * t * (4 - 3 * x * x - 3 * y * y) / (4 * a * b);

    // second derivatives of the shape function of the slope w_x = dw/dx at the node, a s (1 + x)^2 (x - 1)(1 + y) / 8
    xx[1] = s * (3 * x + 1) * (1 + y) / (4 * a);
    yy[1] = 0;
    xy[1] = t * (1 + x) * (3 * x - 1) / (4 * b);

    // second derivatives of the shape function of the slope w_y = dw/dy at the node, b t (1 + y)^2 (y - 1)(1 + x) / 8
    xx[2] = 0;
    yy[2] = t * (3 * y + 1) * (1 + x) / (4 * b);
    xy[2] = s * (1 + y) * (3 * y - 1) / (4 * a);
  }
  return w[0] * w[1] * a * b;
}

HOST_DEVICE void plate_load(const real *nodal, const real *S, real F[3 * SHAPE_NODES]) {
  (void)S;
  real side[2];
  acm_sides(nodal, side);
  const real a = side[0], b = side[1];
  for (int i = 0; i < 3 * SHAPE_NODES; i++) F[i] = 0;
  for (int p = 0; p < 9; p++) {
    real w[2];
    const real xi = acm_point(p % 3, &w[0]), eta = acm_point(p / 3, &w[1]);
    real load = 0;
    for (int n = 0; n < SHAPE_NODES; n++)
      load += nodal[3 * n + 2] * (1 + (n % 2 ? xi : -xi)) * (1 + (n / 2 ? eta : -eta)) / 4;
    load *= w[0] * w[1] * a * b;
    for (int n = 0; n < SHAPE_NODES; n++) {
      const int s = n % 2 ? 1 : -1, t = n / 2 ? 1 : -1;
      const real x = s * xi, y = t * eta;
      F[3 * n] += load * (1 + x) * (1 + y) * (2 + x + y - x * x - y * y) / 8;
      F[3 * n + 1] += load * a * s * (1 + x) * (1 + x) * (x - 1) * (1 + y) / 8;
      F[3 * n + 2] += load * b * t * (1 + y) * (1 + y) * (y - 1) * (1 + x) / 8;
    }
  }
}

// Returns the area, or a negative number if the cell is not a rectangle with sides along x and y.
HOST_DEVICE real plate_soundness(const real *nodal, const real *S) {
  (void)S;
  const real width = nodal[3] - nodal[0], height = nodal[7] - nodal[1];
  const real off[6] = { nodal[4] - nodal[1], nodal[6] - nodal[0], nodal[9] - nodal[3], nodal[10] - nodal[7], 0, 0 };
  real maximum = 0;
  for (int k = 0; k < 4; k++) maximum = off[k] > maximum ? off[k] : -off[k] > maximum ? -off[k] : maximum;
  const real least = width < height ? width : height;
  return maximum <= (real)1e-3 * least ? width * height : -maximum;
}

static inline void plate_supplemental(const Space *space, int e, real *S) {
  S[0] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
