// The element subroutine: the linear tetrahedron of a neo-Hookean solid. Assemblies treat it as a black box
//   (nodal data, supplemental data) -> (element vector F_e, element matrix A_e)
// run by one thread, and know only what element.h lists.
//
// Nodal data are displacements u, not positions x as in paper 000: G = Du Dm^-1 then keeps its digits where the body
// is far from the origin or hardly strained, which in float is worth two digits of the residual.
// Supplemental data S(e) is Dm^-1, Dm = [X1-X4, X2-X4, X3-X4]: row a is the gradient B_a of node a's shape function.
#pragma once
#include "base/array.h"
#include "mesh/tet_mesh.h"
#include "sim/element/neo_hookean.h"
#include "sim/element/tet_terms.h"

enum {
  ELEMENT_NODES = 4,
  ELEMENT_NODE_DATA = 3,
  ELEMENT_NODE_DOF = 3,
  ELEMENT_DOF = 12,
#ifdef ELEMENT_GRADED
  ELEMENT_SUPPLEMENTAL = 10,  // see neo_hookean_tet_graded.h
#else
  ELEMENT_SUPPLEMENTAL = 9,
#endif
  ELEMENT_MATRIX = 78  // A_e is symmetric: its upper triangle, by rows
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

// G = sum over nodes of u_a B_a^T, and the gradients B_a [4][3]
HOST_DEVICE void element_gradient(const real *u, const real *S, real B[4][3], real G[3][3]) {
  for (int k = 0; k < 3; k++) {
    B[0][k] = S[k], B[1][k] = S[3 + k], B[2][k] = S[6 + k];
    B[3][k] = -(S[k] + S[3 + k] + S[6 + k]);
  }
  for (int i = 0; i < 3; i++) {
    const real d0 = u[i] - u[9 + i], d1 = u[3 + i] - u[9 + i], d2 = u[6 + i] - u[9 + i];
    for (int k = 0; k < 3; k++) G[i][k] = d0 * S[k] + d1 * S[3 + k] + d2 * S[6 + k];
  }
}

// volume from S, m^3: det Dm = 6 V
HOST_DEVICE real element_volume(const real *S) {
  const real det =
      S[0] * (S[4] * S[8] - S[5] * S[7]) - S[1] * (S[3] * S[8] - S[5] * S[6]) + S[2] * (S[3] * S[7] - S[4] * S[6]);
  return 1 / (6 * det);
}

// times the tet's own factor on its stiffness: forces and energies are linear in both
HOST_DEVICE real element_weight(const real *S) {
#ifdef ELEMENT_GRADED
  return S[9] * element_volume(S);
#else
  return element_volume(S);
#endif
}

/// The element vector [ELEMENT_DOF] and, unless A is NULL, the element matrix [ELEMENT_MATRIX], from the nodal
/// displacements u [4][3] m and S. Returns J, which must be positive for the rest to mean anything.
HOST_DEVICE real element_evaluate(const real *u, const real *S, const ElementParameters *parameters, real *F, real *A) {
  real B[4][3], G[3][3], P[3][3], F_inverse_T[3][3], log_J;
  element_gradient(u, S, B, G);
  const real V = element_weight(S), mu = parameters->mu, lambda = parameters->lambda;
  const real J = neo_hookean_stress(G, mu, lambda, P, F_inverse_T, &log_J);
  tet_force(P, B, parameters->vector_scale * V, F);
  if (A) tet_stiffness(F_inverse_T, B, log_J, mu, lambda, parameters->matrix_scale * V, A);
  return J;
}

/// The element's strain energy, J.
HOST_DEVICE real element_energy(const real *u, const real *S, const ElementParameters *parameters) {
  real B[4][3], G[3][3];
  element_gradient(u, S, B, G);
  return element_weight(S) * neo_hookean_energy(G, parameters->mu, parameters->lambda);
}

/// det F alone.
HOST_DEVICE real element_J(const real *u, const real *S) {
  real B[4][3], G[3][3];
  element_gradient(u, S, B, G);
  return 1 + strain_of(G).j;
}

/// S(e) of tet e, from the corners' reference positions: computed in double and rounded once.
static inline void element_supplemental(const TetMesh *mesh, int e, real *S) {
  double D[3][3];  // Dm, column a: X_a - X_4
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) D[i][a] = mesh->X[mesh->tet[e][a]][i] - mesh->X[mesh->tet[e][3]][i];
  const double det = 6 * mesh_tet_volume(mesh, e);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) {
      // inverse[a][i] = cofactor of D[i][a] over det
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
      S[3 * a + i] = (real)((D[i1][a1] * D[i2][a2] - D[i1][a2] * D[i2][a1]) / det);
    }
#ifdef ELEMENT_GRADED
  S[9] = (real)(mesh->stiffness ? mesh->stiffness[e] : 1);
#endif
}

/// S(e) of all tets, [tet_count][ELEMENT_SUPPLEMENTAL]; free() releases it.
static inline void *element_supplementals(const TetMesh *mesh, size_t *bytes, Error *error) {
  real *S = (real *)array_new(mesh->tet_count, sizeof(real) * ELEMENT_SUPPLEMENTAL, "tets", error);
  for (int e = 0; S && e < mesh->tet_count; e++) element_supplemental(mesh, e, S + (size_t)e * ELEMENT_SUPPLEMENTAL);
  *bytes = sizeof(real) * ELEMENT_SUPPLEMENTAL * (size_t)mesh->tet_count;
  return S;
}
