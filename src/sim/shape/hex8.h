// The trilinear hexahedron, or brick: corners (0,0,0) (1,0,0) (1,1,0) (0,1,0), then the same with z = 1, as VTK and
// Gmsh number them, and 2 x 2 x 2 Gauss points. On the unit cube of r = (r_0, r_1, r_2), with L_0(t) = 1 - t and
// L_1(t) = t, node (i, j, k) has N = L_i(r_0) L_j(r_1) L_k(r_2); the rows of J are dX/dr_0, dX/dr_1, dX/dr_2, and
//   B_a = J^-1 dN_a/dr,   weight det J / 8.
// See element/solid.h for what a shape gives.
//
// Supplemental data S(e) is X_a - X_0 of nodes 1 to 7 and, last, the cell's factor on the material's moduli: 22 numbers
// of which gradients are made anew, where those of all points would be 192.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/space.h"

enum { SHAPE_NODES = 8, SHAPE_POINTS = 8, SHAPE_POSITIONS = 0, SHAPE_SUPPLEMENTAL = 22 };

// bit i of a node's place (i, j, k) in the unit cube
HOST_DEVICE int hex8_bit(int node, int i) {
  return i == 2 ? node >> 2 : i == 1 ? (node >> 1) & 1 : ((node >> 1) ^ node) & 1;
}

// dN_a/dr at Gauss point q, which is numbered as the node that it is nearest to
HOST_DEVICE void hex8_slopes(int q, int a, real slope[3]) {
  const real near = (real)0.78867513459481288225, far = (real)0.21132486540518711775;  // (3 +- sqrt 3)/6
  real L[3];
  for (int i = 0; i < 3; i++) L[i] = hex8_bit(a, i) == hex8_bit(q, i) ? near : far;
  slope[0] = (hex8_bit(a, 0) ? L[1] : -L[1]) * L[2];
  slope[1] = (hex8_bit(a, 1) ? L[0] : -L[0]) * L[2];
  slope[2] = (hex8_bit(a, 2) ? L[0] : -L[0]) * L[1];
}

// J and its cofactors: row i of C is det J times column i of J^-1. Returns det J.
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

HOST_DEVICE void hex8_jacobian(const real *S, int q, real J[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) J[i][k] = 0;
  for (int a = 1; a < SHAPE_NODES; a++) {
    real slope[3];
    hex8_slopes(q, a, slope);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) J[i][k] += slope[i] * S[3 * (a - 1) + k];
  }
}

HOST_DEVICE void shape_gradients(const real *S, int q, real B[SHAPE_NODES][3]) {
  real J[3][3], C[3][3];
  hex8_jacobian(S, q, J);
  const real inverse = 1 / hex8_cofactors(J, C);
  for (int a = 0; a < SHAPE_NODES; a++) {
    real slope[3];
    hex8_slopes(q, a, slope);
    for (int k = 0; k < 3; k++)
      B[a][k] = inverse * (slope[0] * C[0][k] + slope[1] * C[1][k] + slope[2] * C[2][k]);
  }
}

// G = sum over nodes of (u_a - u_0) B_a^T: the gradients add up to zero, and displacements far from zero cost no digits
HOST_DEVICE void shape_displacement_gradient(const real *u, const real *S, const real B[SHAPE_NODES][3], real G[3][3]) {
  (void)S;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real sum = 0;
      for (int a = 1; a < SHAPE_NODES; a++) sum += (u[3 * a + i] - u[i]) * B[a][k];
      G[i][k] = sum;
    }
}

HOST_DEVICE real shape_volume(const real *S, int q) {
  real J[3][3], C[3][3];
  hex8_jacobian(S, q, J);
  return hex8_cofactors(J, C) / SHAPE_POINTS;
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
