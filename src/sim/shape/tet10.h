// The quadratic tetrahedron with straight edges: corners 0 to 3, then the middles of edges 01, 12, 02, 03, 13, 23, as
// in a Space of 10-node cells. With barycentric coordinates l and their gradients b, which are the rows of the
// corners' Dm^-1,
//   corner c:   N = l_c (2 l_c - 1),  B = (4 l_c - 1) b_c
//   edge p, q:  N = 4 l_p l_q,        B = 4 (l_p b_q + l_q b_p).
// The four points integrate what is quadratic exactly, such as the stiffness at rest. det F is a cubic in the cell and
// may be smallest at a corner, so it is looked at there too. See element/solid.h for what a shape gives.
//
// Supplemental data S(e) is Dm^-1 and, tenth, the cell's factor on the material's moduli.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/shape/tet_corners.h"

enum { SHAPE_NODES = 10, SHAPE_POINTS = 4, SHAPE_POSITIONS = 0, SHAPE_SUPPLEMENTAL = 10 };
#define SHAPE_CORNERS 4

HOST_DEVICE void shape_gradients(const real *S, int q, real B[SHAPE_NODES][3]) {
  const int edge[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
  // (5 + 3 sqrt 5)/20 and (5 - sqrt 5)/20
  const real near = (real)0.58541019662496845446, far = (real)0.13819660112501051518;
  real b[4][3];
  for (int k = 0; k < 3; k++) {
    b[0][k] = S[k], b[1][k] = S[3 + k], b[2][k] = S[6 + k];
    b[3][k] = -(S[k] + S[3 + k] + S[6 + k]);
  }
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < 3; k++) B[c][k] = (4 * (c == q ? near : far) - 1) * b[c][k];
  for (int m = 0; m < 6; m++) {
    const int c = edge[m][0], d = edge[m][1];
    for (int k = 0; k < 3; k++) B[4 + m][k] = 4 * ((c == q ? near : far) * b[d][k] + (d == q ? near : far) * b[c][k]);
  }
}

// G = sum over nodes of (u_a - u_3) B_a^T: the gradients add up to zero, and displacements far from zero cost no digits
HOST_DEVICE void shape_displacement_gradient(const real *u, const real *S, const real B[SHAPE_NODES][3], real G[3][3]) {
  (void)S;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real sum = 0;
      for (int a = 0; a < SHAPE_NODES; a++) sum += (u[3 * a + i] - u[9 + i]) * B[a][k];
      G[i][k] = sum;
    }
}

// G at corner c: there only the corners and the middles m_cd of its edges have gradients,
//   G = sum over the other corners d of (4 u_m_cd - u_d - 3 u_c) b_d^T
HOST_DEVICE void shape_corner_gradient(const real *u, const real *S, int c, real G[3][3]) {
  const int middle[4][4] = { { 0, 4, 6, 7 }, { 4, 0, 5, 8 }, { 6, 5, 0, 9 }, { 7, 8, 9, 0 } };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real sum = 0;
      for (int d = 0; d < 4; d++) {
        const real b = d < 3 ? S[3 * d + k] : -(S[k] + S[3 + k] + S[6 + k]);
        if (d != c) sum += (4 * (u[3 * middle[c][d] + i] - u[3 * c + i]) - (u[3 * d + i] - u[3 * c + i])) * b;
      }
      G[i][k] = sum;
    }
}

HOST_DEVICE real shape_volume(const real *S, int q) {
  (void)q;
  return corners_volume(S) / SHAPE_POINTS;
}

HOST_DEVICE real shape_stiffness(const real *S) {
  return S[9];
}

static inline void shape_supplemental(const Space *space, int e, real *S) {
  corners_inverse(space, e, S);
  S[9] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
