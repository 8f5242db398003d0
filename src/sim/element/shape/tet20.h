// The cubic tetrahedron with straight edges; element/solid.h lists the functions of a shape. Nodes 0 to 3 are the
// corners. Nodes 4 to 15 are at thirds of the edges 01, 12, 02, 03, 13, 23, two on each. Nodes 16 to 19 are the middles
// of the faces; face f is opposite to corner f. l_c are the barycentric coordinates and b_c their gradients. The shape
// functions N and their gradients B are
//   corner c:           N = l_c (3 l_c - 1)(3 l_c - 2) / 2,  B = (27 l_c^2 - 18 l_c + 2) / 2 b_c;
//   edge, near p of pq: N = 9/2 l_p l_q (3 l_p - 1),         B = 9/2 (l_q (6 l_p - 1) b_p + l_p (3 l_p - 1) b_q);
//   face p, q, r:       N = 27 l_p l_q l_r,                  B = 27 (l_q l_r b_p + l_p l_r b_q + l_p l_q b_r).
// The rule of 14 integration points is exact for degree 5, and so for the stiffness at rest, which has degree 4. det F
// has degree 6 in the cell; it is also tested at the corners.
//
// 10 constants are stored for each cell: the nine numbers of Dm^-1, the inverse of the matrix of edges (tet_corners.h),
// and the cell's factor on the material's moduli.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/shape/tet_corners.h"
#include "sim/element/shape/tet_rule14.h"

enum { SHAPE_NODES = 20, SHAPE_POINTS = TET_RULE14_POINTS, SHAPE_POSITIONS = 0, SHAPE_SUPPLEMENTAL = 10 };
#define SHAPE_CORNERS 4
#define SHAPE_REFERENCE

// Returns a corner of the edge on which node 4 + m lies, m = 0 to 11: the nearer one or, if `other` is true, the
// farther one. Example: node 4 is on edge 01, nearer to corner 0.
HOST_DEVICE int tet20_end(int m, bool other) {
  const int edge[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
  return edge[m / 2][other ? 1 - m % 2 : m % 2];
}

HOST_DEVICE void shape_gradients_at(const real *S, const real l[4], real B[SHAPE_NODES][3]) {
  real b[4][3];
  shape_corner_gradients(S, b);
  for (int c = 0; c < 4; c++)
    for (int k = 0; k < 3; k++) B[c][k] = ((27 * l[c] - 18) * l[c] + 2) / 2 * b[c][k];
  for (int m = 0; m < 12; m++) {
    const int p = tet20_end(m, false), q = tet20_end(m, true);
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

#include "sim/element/shape/tet_sum.h"  // defines shape_displacement_gradient

HOST_DEVICE real shape_volume(const real *S, int q) {
  real l[4];
  return tet_rule14(q, l) * corners_volume(S);
}

// The functions below compute products with the tangent, for all integration points of a cell together (SHAPE_AXES in
// solid.h). b_k are the gradients of the barycentric coordinates; they sum to 0. At a point, the gradient of node a's
// shape function is the sum over k of f_ak b_k, with factors f_ak (CubicShares). So the gradient of a nodal vector x
// is the sum over k < 3 of a_k b_k^T. Here a_k is the sum over nodes a of (f_ak - f_a3) x_a.
//
// dP is the change of stress. Let t_k = dP b_k for k < 3, and t_3 = -(t_0 + t_1 + t_2). Each point adds the sum over k
// of f_ak t_k to the result of node a.
#define SHAPE_AXES
#define SHAPE_STRAIGHT
typedef struct ShapeAxes {
  real y[SHAPE_NODES][3];  // the product of the tangent with the nodal vector, summed over the points so far
} ShapeAxes;

// Factors at one integration point, with which the gradients B of the shape functions are computed from the gradients b
// of the barycentric coordinates l:
//   corner c:             B = corner[c] b_c
//   edge pq, node near p: B = own[p] l[q] b_p + next[p] b_q
//   face pqr:             B = 27 (l[q] l[r] b_p + l[p] l[r] b_q + l[p] l[q] b_r)
typedef struct CubicShares {
  real l[4], corner[4], own[4], next[4];
} CubicShares;

HOST_DEVICE CubicShares tet20_shares(int q) {
  CubicShares s;
  tet_rule14(q, s.l);
  UNROLL_SHAPE
  for (int c = 0; c < 4; c++) {
    const real l = s.l[c];
    s.corner[c] = ((27 * l - 18) * l + 2) / 2;
    s.own[c] = (real)4.5 * (6 * l - 1);
    s.next[c] = (real)4.5 * l * (3 * l - 1);
  }
  return s;
}

// Begins a product with the nodal vector x [60], three numbers for each node: subtracts the vector of corner 3 from all
// others.
HOST_DEVICE void shape_axes_begin(real *x, ShapeAxes *axes) {
  UNROLL_SHAPE
  for (int a = 0; a < SHAPE_NODES; a++) UNROLL_SHAPE
  for (int i = 0; i < 3; i++) {
    if (a != 3) x[3 * a + i] -= x[9 + i];
    axes->y[a][i] = 0;
  }
}

// Computes the vectors a_k, k < 3, at integration point q. The gradient of the nodal vector x at this point is the sum
// over k of a_k b_k^T. b_k is the gradient of barycentric coordinate k.
HOST_DEVICE void shape_axes_at(const real *x, const ShapeAxes *axes, int q, real a[3][3]) {
  const CubicShares s = tet20_shares(q);
  (void)axes;
  UNROLL_SHAPE
  for (int i = 0; i < 3; i++) {
    real sum[4] = { s.corner[0] * x[i], s.corner[1] * x[3 + i], s.corner[2] * x[6 + i], 0 };
    UNROLL_SHAPE
    for (int m = 0; m < 12; m++) {
      const int p = tet20_end(m, false), r = tet20_end(m, true);
      sum[p] += s.own[p] * s.l[r] * x[3 * (4 + m) + i];
      sum[r] += s.next[p] * x[3 * (4 + m) + i];
    }
    UNROLL_SHAPE
    for (int f = 0; f < 4; f++) UNROLL_SHAPE
    for (int j = 1; j < 4; j++)
      sum[(f + j) % 4] += 27 * s.l[(f + j % 3 + 1) % 4] * s.l[(f + (j + 1) % 3 + 1) % 4] * x[3 * (16 + f) + i];
    UNROLL_SHAPE
    for (int k = 0; k < 3; k++) a[k][i] = sum[k] - sum[3];
  }
}

HOST_DEVICE real shape_axes_share(int q) {
  real l[4];
  const real first = tet_rule14(0, l);
  return tet_rule14(q, l) / first;
}

// Adds the contribution of integration point q to axes->y, the product of the tangent with the nodal vector. dP_b[k] is
// dP b_k: the change of stress times the gradient of barycentric coordinate k.
HOST_DEVICE void shape_axes_take(const real dP_b[3][3], int q, ShapeAxes *axes, real *y) {
  const CubicShares s = tet20_shares(q);
  (void)y;
  UNROLL_SHAPE
  for (int i = 0; i < 3; i++) {
    const real t[4] = { dP_b[0][i], dP_b[1][i], dP_b[2][i], -(dP_b[0][i] + dP_b[1][i] + dP_b[2][i]) };
    UNROLL_SHAPE
    for (int c = 0; c < 4; c++) axes->y[c][i] += s.corner[c] * t[c];
    UNROLL_SHAPE
    for (int m = 0; m < 12; m++) {
      const int p = tet20_end(m, false), r = tet20_end(m, true);
      axes->y[4 + m][i] += s.own[p] * s.l[r] * t[p] + s.next[p] * t[r];
    }
    UNROLL_SHAPE
    for (int f = 0; f < 4; f++) UNROLL_SHAPE
    for (int j = 1; j < 4; j++)
      axes->y[16 + f][i] += 27 * s.l[(f + j % 3 + 1) % 4] * s.l[(f + (j + 1) % 3 + 1) % 4] * t[(f + j) % 4];
  }
}

HOST_DEVICE void shape_axes_end(const ShapeAxes *axes, real *y) {
  UNROLL_SHAPE
  for (int k = 0; k < 3 * SHAPE_NODES; k++) y[k] = axes->y[k / 3][k % 3];
}

#include "sim/element/shape/tet_axes.h"  // defines shape_axes_gradient and shape_axes_add

HOST_DEVICE void shape_corner_gradient(const real *u, const real *S, int c, real G[3][3]) {
  const real l[4] = { (real)(c == 0), (real)(c == 1), (real)(c == 2), (real)(c == 3) };
  real B[SHAPE_NODES][3];
  shape_gradients_at(S, l, B);
  shape_displacement_gradient(u, S, B, G);
}

HOST_DEVICE real shape_stiffness(const real *S) {
  return S[9];
}

static inline void shape_supplemental(const Space *space, int e, real *S) {
  corners_inverse(space, e, S);
  S[9] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
