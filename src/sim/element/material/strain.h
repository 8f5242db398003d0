// Measures of strain for all materials, computed from the displacement gradient G = F - I, not from the deformation
// gradient F. The stress of a nearly undeformed body needs differences such as F - F^-T. Computed from F in float,
// these differences have rounding errors of 1e-7, however small the strain is. Computed from G, every term is as small
// as the strain. With J = det F, j = J - 1, cof A the matrix of cofactors of A, and
// cof(I + G) = (1 + tr G) I - G^T + cof G,
//   j = tr G + tr cof G + det G;
//   F - F^-T = (G + G^T + j G + (tr cof G + det G) I - cof G) / J.
#pragma once
#include <math.h>

#include "sim/element/rounding.h"

// real_log1p returns log(1 + x), accurate for small x too. real_smaller returns the smaller of a and b, or `a` if `a`
// is NaN. If `real` is a vector of numbers, assembly/lanes.h defines these functions and REAL_FUNCTIONS instead.
#ifndef REAL_FUNCTIONS
HOST_DEVICE real real_log1p(real x) {
  return sizeof(real) == sizeof(float) ? (real)log1pf((float)x) : (real)log1p((double)x);
}

HOST_DEVICE real real_smaller(real a, real b) {
  return a < b || a != a ? a : b;
}
#endif

// Quantities computed from the displacement gradient G, for stresses and energies. Matrices are [row][column].
typedef struct Strain {
  real cof_G[3][3];
  real trace, trace_cof, det;  // tr G, tr cof G and det G
  real j;                      // J - 1
} Strain;

HOST_DEVICE Strain strain_of(const real G[3][3]) {
  Strain s;
  s.cof_G[0][0] = G[1][1] * G[2][2] - G[1][2] * G[2][1];
  s.cof_G[0][1] = G[1][2] * G[2][0] - G[1][0] * G[2][2];
  s.cof_G[0][2] = G[1][0] * G[2][1] - G[1][1] * G[2][0];
  s.cof_G[1][0] = G[2][1] * G[0][2] - G[2][2] * G[0][1];
  s.cof_G[1][1] = G[2][2] * G[0][0] - G[2][0] * G[0][2];
  s.cof_G[1][2] = G[2][0] * G[0][1] - G[2][1] * G[0][0];
  s.cof_G[2][0] = G[0][1] * G[1][2] - G[0][2] * G[1][1];
  s.cof_G[2][1] = G[0][2] * G[1][0] - G[0][0] * G[1][2];
  s.cof_G[2][2] = G[0][0] * G[1][1] - G[0][1] * G[1][0];
  s.trace = G[0][0] + G[1][1] + G[2][2];
  s.trace_cof = s.cof_G[0][0] + s.cof_G[1][1] + s.cof_G[2][2];
  s.det = G[0][0] * s.cof_G[0][0] + G[0][1] * s.cof_G[0][1] + G[0][2] * s.cof_G[0][2];
  s.j = s.trace + s.trace_cof + s.det;
  return s;
}

// Returns entry (i, k) of F^-T for inverse_J = 1 / det F, and of det F * F^-T for inverse_J = 1.
HOST_DEVICE real strain_inverse_T(const Strain *s, const real G[3][3], real inverse_J, int i, int k) {
  const real one = i == k ? (real)1 : (real)0;
  return ((1 + s->trace) * one - G[k][i] + s->cof_G[i][k]) * inverse_J;
}

// Returns entry (i, k) of F - F^-T for inverse_J = 1 / det F, and of det F * (F - F^-T) for inverse_J = 1.
HOST_DEVICE real strain_difference(const Strain *s, const real G[3][3], real inverse_J, int i, int k) {
  const real one = i == k ? (real)1 : (real)0, second = s->trace_cof + s->det;
  return (G[i][k] + G[k][i] + s->j * G[i][k] + second * one - s->cof_G[i][k]) * inverse_J;
}

// Returns G:G, the sum of the squares of all entries of G. F:F - 3 equals 2 tr G + G:G.
HOST_DEVICE real strain_square(const real G[3][3]) {
  real sum = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) sum = times_plus(G[i][k], G[i][k], sum);
  return sum;
}

// Returns entry (i, k) of G^T G. The sum must have the same bits in all functions. But the tangent needs some of the
// same products, so a compiler could round the sum differently in functions that also compute the tangent. times_plus
// prevents this.
HOST_DEVICE real column_product(const real G[3][3], int i, int k) {
  return times_plus(G[2][i], G[2][k], times_plus(G[0][i], G[0][k], G[1][i] * G[1][k]));
}

// Computes Green's strain E = (G + G^T + G^T G)/2, and returns its trace.
HOST_DEVICE real green_strain(const real G[3][3], real E[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int k = i; k < 3; k++) E[i][k] = E[k][i] = (real)0.5 * (G[i][k] + G[k][i] + column_product(G, i, k));
  return E[0][0] + E[1][1] + E[2][2];
}

// Returns (F:F - 3)/2 - ln J, and sets *log_J to ln J. In a body that rotates by a large angle, tr G and G:G are large
// although the strain is small. The rounding errors of their difference would exceed the strain energy. At small
// strains, both results are therefore computed from the matrix C - I = 2 E, with Green's strain E and C = F^T F:
//   (F:F - 3)/2 = tr(C - I)/2,   ln J = ln(det C)/2.
HOST_DEVICE real strain_excess(const real G[3][3], real *log_J) {
  const Strain s = strain_of(G);
  real E[3][3];
  const real trace = green_strain(G, E);
  *log_J = real_log1p(s.j);
#ifndef REAL_FUNCTIONS
  const real SMALL = (real)0.01;  // bound on the sum of the squares of the entries of E
  if (1 + s.j > 0 && strain_square(E) < SMALL) {
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) E[i][k] *= 2;
    *log_J = (real)0.5 * real_log1p(strain_of(E).j);
  }
#endif
  return trace - *log_J;
}

// Computes product = A v.
HOST_DEVICE void matrix_times(const real A[3][3], const real v[3], real product[3]) {
  for (int i = 0; i < 3; i++) product[i] = A[i][0] * v[0] + A[i][1] * v[1] + A[i][2] * v[2];
}

// Returns the scalar product a.b.
HOST_DEVICE real dot_of(const real a[3], const real b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Three functions for products with tangents; H is a change of the deformation gradient.
//   contraction returns A:H, the sum over i and k of A_ik H_ik.
//   add_crossed adds factor * A H^T A to `sum`.
//   add_times adds factor * A to `sum`.
HOST_DEVICE real contraction(const real A[3][3], const real H[3][3]) {
  return dot_of(A[0], H[0]) + dot_of(A[1], H[1]) + dot_of(A[2], H[2]);
}

HOST_DEVICE void add_crossed(real factor, const real A[3][3], const real H[3][3], real sum[3][3]) {
  for (int i = 0; i < 3; i++) {
    real row[3];  // row i of factor A H^T
    for (int k = 0; k < 3; k++) row[k] = factor * dot_of(A[i], H[k]);
    for (int k = 0; k < 3; k++) sum[i][k] += row[0] * A[0][k] + row[1] * A[1][k] + row[2] * A[2][k];
  }
}

HOST_DEVICE void add_times(real factor, const real A[3][3], real sum[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) sum[i][k] += factor * A[i][k];
}
