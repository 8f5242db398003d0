// The St. Venant-Kirchhoff solid; element/solid.h lists the functions of a material. The second Piola-Kirchhoff stress
// S is linear in Green's strain E. F is the deformation gradient, G = F - I, W the strain energy density and P the
// first Piola-Kirchhoff stress.
//   E = (G + G^T + G^T G)/2,  W = mu E:E + lambda/2 tr^2 E,  S = 2 mu E + lambda tr(E) I,  P = F S.
// The block of nodes a and b in the tangent, with the gradients B_a of shape functions and h_a = F B_a, is as follows.
// In the term (B_a.B_b) b, the factor b is the matrix F F^T and not the node.
//   K_ab = (B_a.S B_b) I + lambda h_a h_b^T + mu (h_b h_a^T + (B_a.B_b) b).
// The material is made for large rotations with small strains. It softens under compression: a bar that is pressed to
// 1/sqrt(3) of its length collapses.
#pragma once
#include "sim/element/material/lame.h"
#include "sim/element/material/strain.h"

#define MATERIAL_SUMMARY "St. Venant-Kirchhoff: linear in Green strain; for large rotations with small strains"
#define MATERIAL_SOFTENS true  // the material loses its stiffness under compression
// Data of an integration point that the tangent needs: F, the second Piola-Kirchhoff stress S, and b = F F^T.
typedef struct MaterialPoint {
  real F[3][3], S[3][3], b[3][3];
} MaterialPoint;

HOST_DEVICE real material_stress(const real G[3][3], const Material *m, real P[3][3], MaterialPoint *point) {
  real E[3][3];
  const real trace = green_strain(G, E);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const real one = i == k ? (real)1 : (real)0;
      point->F[i][k] = G[i][k] + one;
      point->S[i][k] = 2 * m->mu * E[i][k] + m->lambda * trace * one;
      point->b[i][k] = G[i][k] + G[k][i] + dot_of(G[i], G[k]) + one;
    }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      P[i][k] = point->S[i][k] + G[i][0] * point->S[0][k] + G[i][1] * point->S[1][k] + G[i][2] * point->S[2][k];
  return 1 + strain_of(G).j;
}

HOST_DEVICE real material_energy(const real G[3][3], const Material *m) {
  real E[3][3];
  const real trace = green_strain(G, E);
  return m->mu * strain_square(E) + (real)0.5 * m->lambda * trace * trace;
}

// Coefficients of the tangent: mu * factor and lambda * factor, Pa, and `factor`, the argument of material_tangent.
typedef struct MaterialTangent {
  real mu, lambda, factor;
} MaterialTangent;

// Vectors of a node, from the gradient B of its shape function: h = F B, and SB = S B with the second Piola-Kirchhoff
// stress S.
typedef struct MaterialNode {
  real h[3], SB[3];
} MaterialNode;

typedef struct MaterialPair {
  real own, second;  // coefficients of the matrices I and b = F F^T in the tangent's block of two nodes
} MaterialPair;

HOST_DEVICE MaterialTangent material_tangent(const MaterialPoint *point, const Material *m, real factor) {
  (void)point;
  const MaterialTangent t = { factor * m->mu, factor * m->lambda, factor };
  return t;
}

HOST_DEVICE MaterialNode material_node(const MaterialPoint *point, const real B[3]) {
  MaterialNode node;
  matrix_times(point->F, B, node.h);
  matrix_times(point->S, B, node.SB);
  return node;
}

HOST_DEVICE MaterialPair material_pair(const MaterialPoint *point, const MaterialTangent *t, const real Ba[3],
                                       const real Bb[3], const MaterialNode *a, const MaterialNode *b) {
  (void)point, (void)a;
  const MaterialPair pair = { t->factor * dot_of(Ba, b->SB), t->mu * dot_of(Ba, Bb) };
  return pair;
}

HOST_DEVICE real material_entry(const MaterialPoint *point, const MaterialTangent *t, const MaterialNode *a,
                                const MaterialNode *b, const MaterialPair *pair, int i, int k) {
  return t->lambda * a->h[i] * b->h[k] + t->mu * b->h[i] * a->h[k] + pair->second * point->b[i][k] +
         (i == k ? pair->own : (real)0);
}

// Computes dP, the change of the stress P if the deformation gradient F changes by H, times the factor in *t:
//   dP = H S + lambda (F:H) F + mu (F H^T F + b H).
// S is the second Piola-Kirchhoff stress, and b = F F^T.
HOST_DEVICE void material_product(const MaterialPoint *point, const MaterialTangent *t, const real H[3][3],
                                  real dP[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)  // S is symmetric: its row k is its column k
      dP[i][k] = t->factor * dot_of(H[i], point->S[k]) +
                 t->mu * (point->b[i][0] * H[0][k] + point->b[i][1] * H[1][k] + point->b[i][2] * H[2][k]);
  add_crossed(t->mu, point->F, H, dP);
  add_times(t->lambda * contraction(point->F, H), point->F, dP);
}
