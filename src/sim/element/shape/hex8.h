// The trilinear hexahedron with 2 x 2 x 2 Gauss points. The reference cell is the cube [0, 1]^3 with coordinates xi.
// Node n is the corner (i, j, k) with n = i + 2 (j + 2 k) and i, j, k in {0, 1}. Example: node 5 is corner (1, 0, 1).
// With L_0(t) = 1 - t and L_1(t) = t, the shape function of node n is N_n = L_i(xi_0) L_j(xi_1) L_k(xi_2).
//
// J is the matrix with rows dX/dxi_i, where X are positions at rest. The gradient of a shape function is B_n = J^-1
// dN_n/dxi, and the volume of an integration point is det J / 8. The first group of functions below is for problems
// with one unknown per node (lab/stationary/element/mapped.h), the second for solids (element/solid.h).
//
// For solids, 22 constants are stored for each cell: X_a - X_0 of nodes 1 to 7, and the cell's factor on the material's
// moduli. Gradients are not stored, since the gradients at all points would be 192 numbers.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/shape/unroll.h"
#include "sim/element/space.h"

// Corners at which det F is tested, besides the integration points: the cell counts as inverted if det F <= 0 at one of
// these points. Elsewhere in the cell det F may be smaller than at these points, but rarely by much.
#define SHAPE_CORNERS 8
#define SHAPE_REFERENCE  // shape_gradients_at computes gradients at any reference coordinates

enum {
  SHAPE_NODES = 8,
  SHAPE_POINTS = 8,
  SHAPE_DIMENSION = 3,
  SHAPE_MAP_NODES = 8,
  SHAPE_POSITIONS = 0,
  SHAPE_SUPPLEMENTAL = 22
};

// ---- functions of the shape for scalar problems, which have one unknown per node; functions for solids use them too

// Computes xi, the reference coordinates of integration point q, the Gauss point nearest to node q. Returns the weight
// of the point, 1/8.
HOST_DEVICE real shape_point(int q, real xi[SHAPE_DIMENSION]) {
  const real near = (real)0.21132486540518711775;  // (3 - sqrt 3)/6
  for (int i = 0; i < 3; i++) xi[i] = q >> i & 1 ? 1 - near : near;
  return (real)0.125;
}

// Computes N, the values of all shape functions at the reference coordinates xi.
HOST_DEVICE void shape_values(const real *xi, real N[SHAPE_NODES]) {
  for (int a = 0; a < SHAPE_NODES; a++) {
    N[a] = 1;
    for (int i = 0; i < 3; i++) N[a] = N[a] * (a >> i & 1 ? xi[i] : 1 - xi[i]);
  }
}

// Computes dN, the derivatives of all shape functions by xi, at the reference coordinates xi.
HOST_DEVICE void shape_derivatives(const real *xi, real dN[SHAPE_NODES][SHAPE_DIMENSION]) {
  for (int a = 0; a < SHAPE_NODES; a++) {
    real L[3];
    for (int i = 0; i < 3; i++) L[i] = a >> i & 1 ? xi[i] : 1 - xi[i];
    dN[a][0] = (a & 1 ? L[1] : -L[1]) * L[2];
    dN[a][1] = (a & 2 ? L[0] : -L[0]) * L[2];
    dN[a][2] = (a & 4 ? L[0] : -L[0]) * L[1];
  }
}

HOST_DEVICE int shape_map_node(int m) {
  return m;
}

HOST_DEVICE void shape_map_derivatives(const real *xi, real dM[SHAPE_MAP_NODES][SHAPE_DIMENSION]) {
  shape_derivatives(xi, dM);
}

// ---- functions of the shape for solids

// Computes C = det J * J^-T, the matrix of cofactors of J. J has the rows dX/dxi_i, with X the positions at rest.
// Returns det J.
HOST_DEVICE real hex8_cofactors(const real J[3][3], real C[3][3]) {
  for (int i = 0; i < 3; i++) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int k = 0; k < 3; k++) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      C[i][k] = J[i1][k1] * J[i2][k2] - J[i1][k2] * J[i2][k1];
    }
  }
  return J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2];
}

// Computes the derivatives dN_a/dxi, and C = det J * J^-T, at the reference coordinates xi. J has the rows dX/dxi_i,
// with X the positions at rest. Returns det J.
HOST_DEVICE real hex8_at(const real *S, const real xi[3], real dN[SHAPE_NODES][3], real C[3][3]) {
  real J[3][3];
  shape_derivatives(xi, dN);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real sum = 0;
      for (int a = 1; a < SHAPE_NODES; a++) sum += dN[a][i] * S[3 * (a - 1) + k];
      J[i][k] = sum;
    }
  return hex8_cofactors(J, C);
}

HOST_DEVICE void shape_gradients_at(const real *S, const real xi[3], real B[SHAPE_NODES][3]) {
  real dN[SHAPE_NODES][3], C[3][3];
  const real inverse = 1 / hex8_at(S, xi, dN, C);
  for (int a = 0; a < SHAPE_NODES; a++)
    for (int k = 0; k < 3; k++) B[a][k] = inverse * (dN[a][0] * C[0][k] + dN[a][1] * C[1][k] + dN[a][2] * C[2][k]);
}

HOST_DEVICE void shape_gradients(const real *S, int q, real B[SHAPE_NODES][3]) {
  real xi[3];
  shape_point(q, xi);
  shape_gradients_at(S, xi, B);
}

// Computes the displacement gradient G, the sum over the nodes a of (u_a - u_0) B_a^T. u_a is the displacement of node
// a, and B_a the gradient of its shape function. Subtracting u_0 avoids rounding errors of large displacements. The sum
// stays the same, since the gradients B_a sum to 0.
HOST_DEVICE void shape_displacement_gradient(const real *u, const real *S, const real B[SHAPE_NODES][3], real G[3][3]) {
  (void)S;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real sum = 0;
      for (int a = 1; a < SHAPE_NODES; a++) sum += (u[3 * a + i] - u[i]) * B[a][k];
      G[i][k] = sum;
    }
}

// Computes the displacement gradient G at corner c. There, only the shape functions of the corner and of its three
// neighbours along edges have a gradient, so the derivatives of u and X by xi_i are differences along edges.
HOST_DEVICE void shape_corner_gradient(const real *u, const real *S, int c, real G[3][3]) {
  real J[3][3], du[3][3], C[3][3];
  for (int i = 0; i < 3; i++) {
    const int high = c | 1 << i, low = high - (1 << i);
    for (int k = 0; k < 3; k++) {
      J[i][k] = S[3 * (high - 1) + k] - (low ? S[3 * (low - 1) + k] : (real)0);
      du[i][k] = u[3 * high + k] - u[3 * low + k];
    }
  }
  const real inverse = 1 / hex8_cofactors(J, C);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) G[i][k] = inverse * (du[0][i] * C[0][k] + du[1][i] * C[1][k] + du[2][i] * C[2][k]);
}

// The functions below compute products with the tangent, for all integration points of a cell together (SHAPE_AXES in
// solid.h). These products take a third of the operations of products that are computed by sums over nodes. A nodal
// vector x defines a trilinear field in the cell. With r = xi - 1/2, the field is a constant plus seven modes, m = 1
// to 7. Mode m is a coefficient c_m times the product of those r_i for which bit i of m is set. Example: mode 5 has
// the bits 0 and 2, and is c_5 r_0 r_2; c_5 is also written c_02.
//
// Integration points have r_i = h s_i with signs s_i = 1 or -1 and h = sqrt 3 / 6. Let c_m include h^(b - 1) as a
// factor, with b the number of set bits of m. With j and k the two axes other than i, the derivative of the field is
//   dx/dr_i = c_i + s_j c_ij + s_k c_ik + s_j s_k c_ijk.
// J is computed from X - X_0 in this way too. The contributions of the points are added to a sum T_m for each mode. At
// the end these sums are transformed to the results of the nodes.
#define SHAPE_AXES
typedef struct ShapeAxes {
  real c[7][3];  // c[m - 1] is the coefficient c_m of mode m in the nodal vector
  real T[7][3];  // T[m - 1] is the sum, over the integration points, of the results for mode m
} ShapeAxes;

// Returns the factor for the coefficient c_m of mode m. The mode is a product of some of the cell's coordinates r_i =
// xi_i - 1/2. c_m is the factor times the sum of the nodal values, each with sign 1 or -1. The factor is
// (2 h)^(b - 1) / 4, where b is the number of set bits of m, and h = |r_i| at the integration points.
HOST_DEVICE real hex8_mode_scale(int m) {
  const real h = (real)0.28867513459481288225;  // sqrt 3 / 6
  return m == 7 ? h * h : m == 3 || m == 5 || m == 6 ? h / 2 : (real)0.25;
}

// Computes c, the coefficients c_m of the field in a cell. The field is a sum of seven products of coordinates, the
// modes m = 1 to 7, and a constant. x [21] has the field's vectors at nodes 1 to 7, each minus the vector at node 0.
HOST_DEVICE void hex8_modes(const real *x, real c[7][3]) {
  UNROLL_SHAPE
  for (int k = 0; k < 3; k++) {
    real v[8] = { 0, x[k], x[3 + k], x[6 + k], x[9 + k], x[12 + k], x[15 + k], x[18 + k] };
    UNROLL_SHAPE
    for (int bit = 1; bit < 8; bit *= 2) UNROLL_SHAPE
    for (int a = 0; a < 8; a++)
      if (!(a & bit)) {
        const real low = v[a], high = v[a | bit];
        v[a] = low + high;
        v[a | bit] = high - low;
      }
    UNROLL_SHAPE
    for (int m = 1; m < 8; m++) c[m - 1][k] = hex8_mode_scale(m) * v[m];
  }
}

// Computes s [3], the signs (1 or -1) of the coordinates r = xi - 1/2 of integration point q.
HOST_DEVICE void hex8_signs(int q, real s[3]) {
  for (int i = 0; i < 3; i++) s[i] = (real)(q >> i & 1 ? 1 : -1);
}

// Computes a, whose row i is the derivative dx/dr_i at the integration point with signs s. The field x is a sum of
// products of the coordinates r_i, with the coefficients c: c[0] for r_0, c[4] for r_0 r_2 (bits of 5), and so on. The
// derivatives contain factors |r_i|, which have one value at all integration points; the coefficients c include these
// factors.
HOST_DEVICE void hex8_along(const real c[7][3], const real s[3], real a[3][3]) {
  UNROLL_SHAPE
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    UNROLL_SHAPE
    for (int v = 0; v < 3; v++)
      a[i][v] = c[(1 << i) - 1][v] + s[j] * c[(1 << i | 1 << j) - 1][v] + s[k] * c[(1 << i | 1 << k) - 1][v] +
                s[j] * s[k] * c[6][v];
  }
}

// Computes C = det J * J^-T at the integration point whose coordinates xi - 1/2 have the signs s. J has the rows
// dX/dxi_i, with X the positions at rest. Returns det J.
HOST_DEVICE real hex8_at_point(const real *S, const real s[3], real C[3][3]) {
  real X[7][3], J[3][3];
  hex8_modes(S, X);
  hex8_along(X, s, J);
  return hex8_cofactors(J, C);
}

// Begins a product of the tangent with the nodal vector x [24], and overwrites x. Computes axes->c, the coefficients of
// the field that x defines in the cell. The field is a sum of products of coordinates (modes).
HOST_DEVICE void shape_axes_begin(real *x, ShapeAxes *axes) {
  UNROLL_SHAPE
  for (int a = 1; a < SHAPE_NODES; a++) UNROLL_SHAPE
  for (int k = 0; k < 3; k++) x[3 * a + k] -= x[k];
  hex8_modes(x + 3, axes->c);
  UNROLL_SHAPE
  for (int m = 0; m < 7; m++) UNROLL_SHAPE
  for (int k = 0; k < 3; k++) axes->T[m][k] = 0;
}

HOST_DEVICE real shape_axes_gradient(const real *x, const real *S, const ShapeAxes *axes, int q, real H[3][3]) {
  real s[3], a[3][3], C[3][3];
  (void)x;
  hex8_signs(q, s);
  hex8_along(axes->c, s, a);
  const real det = hex8_at_point(S, s, C), inverse = 1 / det;
  UNROLL_SHAPE
  for (int i = 0; i < 3; i++) UNROLL_SHAPE
  for (int k = 0; k < 3; k++) H[i][k] = inverse * (a[0][i] * C[0][k] + a[1][i] * C[1][k] + a[2][i] * C[2][k]);
  return det / SHAPE_POINTS;
}

HOST_DEVICE void shape_axes_add(const real dP[3][3], const real *S, int q, ShapeAxes *axes, real *y) {
  real s[3], C[3][3];
  (void)y;
  hex8_signs(q, s);
  const real inverse = 1 / hex8_at_point(S, s, C);
  UNROLL_SHAPE
  for (int v = 0; v < 3; v++) {
    real t[3];
    UNROLL_SHAPE
    for (int i = 0; i < 3; i++) t[i] = inverse * (dP[v][0] * C[i][0] + dP[v][1] * C[i][1] + dP[v][2] * C[i][2]);
    UNROLL_SHAPE
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      axes->T[(1 << i) - 1][v] += t[i];
      axes->T[(1 << i | 1 << j) - 1][v] += s[j] * t[i] + s[i] * t[j];
      axes->T[6][v] += s[j] * s[k] * t[i];
    }
  }
}

// Ends a product with the tangent: computes y [24], three numbers for each node, from axes->T. axes->T has the sum of
// the results for each of the seven products of coordinates (modes).
HOST_DEVICE void shape_axes_end(const ShapeAxes *axes, real *y) {
  UNROLL_SHAPE
  for (int k = 0; k < 3; k++) {
    real v[8];
    v[0] = 0;
    UNROLL_SHAPE
    for (int m = 1; m < 8; m++) v[m] = hex8_mode_scale(m) * axes->T[m - 1][k];
    UNROLL_SHAPE
    for (int bit = 1; bit < 8; bit *= 2) UNROLL_SHAPE
    for (int a = 0; a < 8; a++)
      if (!(a & bit)) {
        const real sum = v[a], difference = v[a | bit];
        v[a] = sum - difference;
        v[a | bit] = sum + difference;
      }
    UNROLL_SHAPE
    for (int a = 0; a < 8; a++) y[3 * a + k] = v[a];
  }
}

HOST_DEVICE real shape_volume(const real *S, int q) {
  real xi[3], dN[SHAPE_NODES][3], C[3][3];
  shape_point(q, xi);
  return hex8_at(S, xi, dN, C) / SHAPE_POINTS;
}

HOST_DEVICE real shape_stiffness(const real *S) {
  return S[SHAPE_SUPPLEMENTAL - 1];
}

static inline void shape_supplemental(const Space *space, int e, real *S) {
  const int *node = space_cell(space, e);
  for (int a = 1; a < SHAPE_NODES; a++)
    for (int k = 0; k < 3; k++) S[3 * (a - 1) + k] = (real)(space->X[node[a]][k] - space->X[node[0]][k]);
  S[SHAPE_SUPPLEMENTAL - 1] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
