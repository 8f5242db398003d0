// The cubic tetrahedron with straight edges: corners 0 to 3, then two nodes on each of the edges 01, 12, 02, 03, 13,
// 23, a third and two thirds of the way, then the middle of each face, by the corner over against it, as in a Space of
// 20-node cells. With barycentric coordinates l and their gradients b, which are the rows of the corners' Dm^-1,
//   corner c:          N = l_c (3 l_c - 1)(3 l_c - 2) / 2,  B = (27 l_c^2 - 18 l_c + 2) / 2 b_c
//   edge, near p of pq: N = 9/2 l_p l_q (3 l_p - 1),         B = 9/2 (l_q (6 l_p - 1) b_p + l_p (3 l_p - 1) b_q)
//   face p, q, r:      N = 27 l_p l_q l_r,                  B = 27 (l_q l_r b_p + l_p l_r b_q + l_p l_q b_r)
// The 14 points integrate what is of degree 5 exactly, the stiffness at rest, of degree 4, too. det F is of degree 6 in
// the cell, and looked at in its corners besides. See element/solid.h for what a shape gives.
//
// Supplemental data S(e) is Dm^-1 and, tenth, the cell's factor on the material's moduli.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/shape/tet_corners.h"
#include "sim/shape/tet_rule14.h"

enum { SHAPE_NODES = 20, SHAPE_POINTS = TET_RULE14_POINTS, SHAPE_POSITIONS = 0, SHAPE_SUPPLEMENTAL = 10 };
#define SHAPE_CORNERS 4
#define SHAPE_REFERENCE

HOST_DEVICE void shape_gradients_at(const real *S, const real l[4], real B[SHAPE_NODES][3]) {
  const int edge[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
  real b[4][3];
  for (int k = 0; k < 3; k++) {
    b[0][k] = S[k], b[1][k] = S[3 + k], b[2][k] = S[6 + k];
    b[3][k] = -(S[k] + S[3 + k] + S[6 + k]);
  }
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < 3; k++) B[c][k] = ((27 * l[c] - 18) * l[c] + 2) / 2 * b[c][k];
  for (int m = 0; m < 12; m++) {
    const int p = edge[m / 2][m % 2], q = edge[m / 2][1 - m % 2];
    const real of_p = (real)4.5 * l[q] * (6 * l[p] - 1), of_q = (real)4.5 * l[p] * (3 * l[p] - 1);
    for (int k = 0; k < 3; k++) B[4 + m][k] = of_p * b[p][k] + of_q * b[q][k];
  }
  for (int f = 0; f < 4; f++) {
    const int p = (f + 1) % 4, q = (f + 2) % 4, r = (f + 3) % 4;
    for (int k = 0; k < 3; k++)
      B[16 + f][k] = 27 * (l[q] * l[r] * b[p][k] + l[p] * l[r] * b[q][k] + l[p] * l[q] * b[r][k]);
  }
}

HOST_DEVICE void shape_gradients(const real *S, int q, real B[SHAPE_NODES][3]) {
  real l[4];
  tet_rule14(q, l);
  shape_gradients_at(S, l, B);
}

#include "sim/shape/tet_sum.h"  // G, of SHAPE_NODES

HOST_DEVICE void shape_corner_gradient(const real *u, const real *S, int c, real G[3][3]) {
  const real l[4] = { (real)(c == 0), (real)(c == 1), (real)(c == 2), (real)(c == 3) };
  real B[SHAPE_NODES][3];
  shape_gradients_at(S, l, B);
  shape_displacement_gradient(u, S, B, G);
}

HOST_DEVICE real shape_volume(const real *S, int q) {
  real l[4];
  return tet_rule14(q, l) * corners_volume(S);
}

HOST_DEVICE real shape_stiffness(const real *S) {
  return S[9];
}

static inline void shape_supplemental(const Space *space, int e, real *S) {
  corners_inverse(space, e, S);
  S[9] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
