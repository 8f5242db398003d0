// Tocher's plate triangle, A_tri of paper 003. The deflection is a polynomial w = P c with nine coefficients c:
//    P = (1, x, y, x^2, xy, y^2, x^3, x^2 y + x y^2, y^3)
// The matrix A computes the nine unknowns (w, w_x and w_y at three nodes) from c, so c = A^-1 (unknowns). The element
// serves only to reproduce the paper: on distorted grids it converges to a wrong answer. Some triangles have no inverse
// of A, and tocher_inverse reports them. Example: in a right triangle with legs of lengths a and b along x and y, A has
// the determinant -a^5 b^5 (a - b), which is 0 for equal legs.
//
// The stored constants S(e) of cell e are its factor on the rigidity D, its size h, and A^-1. Coordinates are relative
// to the centroid and divided by h, so columns of A^-1 for slopes are multiplied by h. lab/stationary/element/plate.h
// explains the functions below.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "lab/stationary/shape/tocher_inverse.h"

enum { SHAPE_NODES = 3, SHAPE_POINTS = 3, SHAPE_SUPPLEMENTAL = 2 + 81 };

// Computes x[2], the coordinates of a point relative to the centroid of the triangle, divided by S[1], the size h of
// the triangle. l [3] are the barycentric coordinates of the point.
HOST_DEVICE void tocher_point(const real *nodal, const real *S, const real l[3], real x[2]) {
  for (int i = 0; i < 2; i++) {
    const real centre = (nodal[i] + nodal[3 + i] + nodal[6 + i]) / 3;
    x[i] = 0;
    for (int c = 0; c < 3; c++) x[i] += l[c] * (nodal[3 * c + i] - centre);
    x[i] /= S[1];
  }
}

HOST_DEVICE real plate_soundness(const real *nodal, const real *S) {
  (void)S;
  const real ux = nodal[0] - nodal[6], uy = nodal[1] - nodal[7], vx = nodal[3] - nodal[6], vy = nodal[4] - nodal[7];
  return ux * vy - uy * vx;  // twice the area of the triangle
}

HOST_DEVICE real plate_curvatures(const real *nodal, const real *S, int q, real B[3][3 * SHAPE_NODES]) {
  const real l[3] = { q == 0 ? (real)0 : (real)0.5, q == 1 ? (real)0 : (real)0.5, q == 2 ? (real)0 : (real)0.5 };
  const real per = 1 / (S[1] * S[1]), *C = S + 2;
  real x[2];
  tocher_point(nodal, S, l, x);
  for (int k = 0; k < 9; k++) {
    B[0][k] = per * (2 * C[27 + k] + 6 * x[0] * C[54 + k] + 2 * x[1] * C[63 + k]);
    B[1][k] = per * (2 * C[45 + k] + 2 * x[0] * C[63 + k] + 6 * x[1] * C[72 + k]);
    B[2][k] = per * 2 * (C[36 + k] + 2 * (x[0] + x[1]) * C[63 + k]);
  }
  return plate_soundness(nodal, S) / 6;
}

// Computes the load on each of the nine unknowns by six integration points, exact up to degree 4 (Dunavant, 1985).
HOST_DEVICE void plate_load(const real *nodal, const real *S, real F[3 * SHAPE_NODES]) {
  const real near[2] = { (real)0.445948490915965, (real)0.091576213509771 };
  const real weight[2] = { (real)0.223381589678011, (real)0.109951743655322 };
  const real area = plate_soundness(nodal, S) / 2, *C = S + 2;
  for (int k = 0; k < 9; k++) F[k] = 0;
  for (int p = 0; p < 6; p++) {
    real l[3] = { near[p / 3], near[p / 3], near[p / 3] }, x[2];
    l[p % 3] = 1 - 2 * near[p / 3];
    tocher_point(nodal, S, l, x);
    const real share = weight[p / 3] * area * (l[0] * nodal[2] + l[1] * nodal[5] + l[2] * nodal[8]);
    const real P[9] = { 1,
                        x[0],
                        x[1],
                        x[0] * x[0],
                        x[0] * x[1],
                        x[1] * x[1],
                        x[0] * x[0] * x[0],
                        x[0] * x[1] * (x[0] + x[1]),
                        x[1] * x[1] * x[1] };
    for (int k = 0; k < 9; k++) {
      real N = 0;
      for (int m = 0; m < 9; m++) N += P[m] * C[9 * m + k];
      F[k] += share * N;
    }
  }
}

static inline void plate_supplemental(const Space *space, int e, real *S) {
  double h, inverse[81];
  tocher_inverse(space, e, &h, inverse);
  S[0] = (real)(space->stiffness ? space->stiffness[e] : 1);
  S[1] = (real)h;
  for (int k = 0; k < 81; k++) S[2 + k] = (real)inverse[k];
}
