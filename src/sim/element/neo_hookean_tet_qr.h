// The neo-Hookean tetrahedron with compressed supplemental data (paper 000, section 16.4.2): Dm = Q R by an
// orientation-preserving QR factorization, and S(e) holds the six numbers of R^-1. With F' = Ds R^-1 = F Q an isotropic
// material gives the same nodal forces and stiffness as F.
//
// It costs digits: F Q - I is not small where F - I is, so in float stresses carry an error of mu * 1e-7 where those of
// neo_hookean_tet.h carry one in proportion to the strain. And nodal data must be positions, since Du R^-1 lacks Q.
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/element/neo_hookean.h"
#include "sim/element/tet_terms.h"

enum {
  ELEMENT_NODES = 4,
  ELEMENT_NODE_DATA = 3,
  ELEMENT_NODE_DOF = 3,
  ELEMENT_DOF = 12,
  ELEMENT_SUPPLEMENTAL = 6,  // of R^-1: 00, 01, 02, 11, 12, 22
  ELEMENT_MATRIX = 78
};

typedef struct ElementParameters {
  real mu, lambda;    // Pa
  real vector_scale;  // F_e = vector_scale * internal force
  real matrix_scale;  // A_e = matrix_scale * stiffness
} ElementParameters;

// from mu and lambda
HOST_DEVICE ElementParameters element_parameters(const double material[2], double vector_scale, double matrix_scale) {
  const ElementParameters p = { (real)material[0], (real)material[1], (real)vector_scale, (real)matrix_scale };
  return p;
}

/// As in neo_hookean_tet.h, from the nodal positions x [4][3] m and S. Returns J.
HOST_DEVICE real element_evaluate(const real *x, const real *S, const ElementParameters *parameters, real *F, real *A) {
  const real B[4][3] = {
    { S[0], S[1], S[2] }, { 0, S[3], S[4] }, { 0, 0, S[5] }, { -S[0], -(S[1] + S[3]), -(S[2] + S[4] + S[5]) }
  };
  real G[3][3], P[3][3], F_inverse_T[3][3], log_J;
  for (int i = 0; i < 3; i++) {
    const real d0 = x[i] - x[9 + i], d1 = x[3 + i] - x[9 + i], d2 = x[6 + i] - x[9 + i];
    G[i][0] = d0 * S[0] - (i == 0 ? (real)1 : (real)0);
    G[i][1] = d0 * S[1] + d1 * S[3] - (i == 1 ? (real)1 : (real)0);
    G[i][2] = d0 * S[2] + d1 * S[4] + d2 * S[5] - (i == 2 ? (real)1 : (real)0);
  }
  const real V = 1 / (6 * S[0] * S[3] * S[5]), mu = parameters->mu, lambda = parameters->lambda;
  const real J = neo_hookean_stress(G, mu, lambda, P, F_inverse_T, &log_J);
  tet_force(P, B, parameters->vector_scale * V, F);
  if (A) tet_stiffness(F_inverse_T, B, log_J, mu, lambda, parameters->matrix_scale * V, A);
  return J;
}

/// S(e) of tet e, from the corners' reference positions: computed in double and rounded once.
static inline void element_supplemental(const TetMesh *mesh, int e, real *S) {
  double d[3][3], q[3][3], r[3][3];  // d[k]: edge k of Dm; q[k]: column k of Q; r[row][column]
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) d[k][i] = mesh->X[mesh->tet[e][k]][i] - mesh->X[mesh->tet[e][3]][i];
  r[0][0] = sqrt(d[0][0] * d[0][0] + d[0][1] * d[0][1] + d[0][2] * d[0][2]);
  for (int i = 0; i < 3; i++) q[0][i] = d[0][i] / r[0][0];
  r[0][1] = q[0][0] * d[1][0] + q[0][1] * d[1][1] + q[0][2] * d[1][2];
  for (int i = 0; i < 3; i++) q[1][i] = d[1][i] - r[0][1] * q[0][i];
  r[1][1] = sqrt(q[1][0] * q[1][0] + q[1][1] * q[1][1] + q[1][2] * q[1][2]);
  for (int i = 0; i < 3; i++) q[1][i] /= r[1][1];
  // a right-handed Q keeps det R = det Dm > 0
  for (int i = 0; i < 3; i++) q[2][i] = q[0][(i + 1) % 3] * q[1][(i + 2) % 3] - q[0][(i + 2) % 3] * q[1][(i + 1) % 3];
  for (int k = 0; k < 3; k++) r[k][2] = q[k][0] * d[2][0] + q[k][1] * d[2][1] + q[k][2] * d[2][2];
  S[0] = (real)(1 / r[0][0]);
  S[1] = (real)(-r[0][1] / (r[0][0] * r[1][1]));
  S[2] = (real)((r[0][1] * r[1][2] - r[0][2] * r[1][1]) / (r[0][0] * r[1][1] * r[2][2]));
  S[3] = (real)(1 / r[1][1]);
  S[4] = (real)(-r[1][2] / (r[1][1] * r[2][2]));
  S[5] = (real)(1 / r[2][2]);
}
