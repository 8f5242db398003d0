// The linear tetrahedron with only six stored numbers for each cell (paper 000, section 16.4.2); element/solid.h lists
// the functions of a shape. The columns of Dm are three edges of the tet at rest, and the columns of Ds the deformed
// edges, so F = Ds Dm^-1. Let Dm = Q R with a rotation Q and an upper triangular R; the six numbers of R^-1 are stored.
// All formulas use F Q = Ds R^-1 in place of F. For an isotropic material, forces and stiffness do not change.
//
// Rounding errors are larger than in tet4.h: F Q - I is not small when the strain is small, so stresses in float have
// an error of mu * 1e-7. In tet4.h the error is proportional to the strain. Nodal data are positions, because F Q
// cannot be computed from displacements without Q.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/space.h"

enum {
  SHAPE_NODES = 4,
  SHAPE_POINTS = 1,
  SHAPE_POSITIONS = 1,
  SHAPE_SUPPLEMENTAL = 6  // S(e) are the six numbers of R^-1: its entries 00, 01, 02, 11, 12, 22
};

HOST_DEVICE void shape_gradients(const real *S, int q, real B[SHAPE_NODES][3]) {
  (void)q;
  B[0][0] = S[0];
  B[0][1] = S[1];
  B[0][2] = S[2];
  B[1][0] = 0;
  B[1][1] = S[3];
  B[1][2] = S[4];
  B[2][0] = 0;
  B[2][1] = 0;
  B[2][2] = S[5];
  B[3][0] = -S[0];
  B[3][1] = -(S[1] + S[3]);
  B[3][2] = -(S[2] + S[4] + S[5]);
}

// Computes G = F Q - I = Ds R^-1 - I from the deformed positions x of the nodes. F is the deformation gradient and Q a
// rotation. S stores R^-1. The columns of Ds are the deformed edges.
HOST_DEVICE void shape_displacement_gradient(const real *x, const real *S, const real B[SHAPE_NODES][3], real G[3][3]) {
  (void)B;
  for (int i = 0; i < 3; i++) {
    const real d0 = x[i] - x[9 + i], d1 = x[3 + i] - x[9 + i], d2 = x[6 + i] - x[9 + i];
    G[i][0] = d0 * S[0] - (i == 0 ? (real)1 : (real)0);
    G[i][1] = d0 * S[1] + d1 * S[3] - (i == 1 ? (real)1 : (real)0);
    G[i][2] = d0 * S[2] + d1 * S[4] + d2 * S[5] - (i == 2 ? (real)1 : (real)0);
  }
}

HOST_DEVICE real shape_volume(const real *S, int q) {
  (void)q;
  return 1 / (6 * S[0] * S[3] * S[5]);
}

HOST_DEVICE real shape_stiffness(const real *S) {
  (void)S;
  return 1;
}

static inline void shape_supplemental(const Space *space, int e, real *S) {
  double d[3][3], q[3][3], r[3][3];  // d[k]: edge k of Dm; q[k]: column k of Q; r[row][column]
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) d[k][i] = space->X[space_cell(space, e)[k]][i] - space->X[space_cell(space, e)[3]][i];
  r[0][0] = sqrt(d[0][0] * d[0][0] + d[0][1] * d[0][1] + d[0][2] * d[0][2]);
  for (int i = 0; i < 3; i++) q[0][i] = d[0][i] / r[0][0];
  r[0][1] = q[0][0] * d[1][0] + q[0][1] * d[1][1] + q[0][2] * d[1][2];
  for (int i = 0; i < 3; i++) q[1][i] = d[1][i] - r[0][1] * q[0][i];
  r[1][1] = sqrt(q[1][0] * q[1][0] + q[1][1] * q[1][1] + q[1][2] * q[1][2]);
  for (int i = 0; i < 3; i++) q[1][i] /= r[1][1];

  // Column 2 of Q is the cross product of columns 0 and 1. So Q is a rotation, and det R = det Dm > 0.
  for (int i = 0; i < 3; i++) q[2][i] = q[0][(i + 1) % 3] * q[1][(i + 2) % 3] - q[0][(i + 2) % 3] * q[1][(i + 1) % 3];
  for (int k = 0; k < 3; k++) r[k][2] = q[k][0] * d[2][0] + q[k][1] * d[2][1] + q[k][2] * d[2][2];
  S[0] = (real)(1 / r[0][0]);
  S[1] = (real)(-r[0][1] / (r[0][0] * r[1][1]));
  S[2] = (real)((r[0][1] * r[1][2] - r[0][2] * r[1][1]) / (r[0][0] * r[1][1] * r[2][2]));
  S[3] = (real)(1 / r[1][1]);
  S[4] = (real)(-r[1][2] / (r[1][1] * r[2][2]));
  S[5] = (real)(1 / r[2][2]);
}
