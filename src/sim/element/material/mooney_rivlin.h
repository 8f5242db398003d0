// The compressible Mooney-Rivlin solid; element/solid.h lists the functions of a material. F is the deformation
// gradient, J = det F, W the strain energy density and P the first Piola-Kirchhoff stress. C = F^T F, b = F F^T, I1 =
// tr C and I2 = (I1^2 - C:C)/2. With constants mu1, mu2 and l,
//   W = mu1/2 (I1 - 3) + mu2/2 (I2 - 3) - (mu1 + 2 mu2) ln J + l/2 ln^2 J;
//   P = mu1 F + mu2 (I1 F - b F) + (l ln J - mu1 - 2 mu2) F^-T.
// The user gives Lame's constants at small strains, mu = mu1 + mu2 and lambda = l + 2 mu2, and s, the fraction of mu
// from the second invariant. So mu1 = (1 - s) mu, mu2 = s mu and l = lambda - 2 mu2. l must not be negative, since W
// would then decrease without bound as J goes to 0.
//
// The block of nodes a and b in the tangent, with the gradients B_a of shape functions, g_a = F^-T B_a and h_a = F B_a
// (in the term (B_a.B_b) b, the factor b is the matrix F F^T and not the node):
//   K_ab = mu1 (B_a.B_b) I + mu2 (2 h_a h_b^T - h_b h_a^T + (I1 B_a.B_b - h_a.h_b) I - (B_a.B_b) b)
//         + (mu1 + 2 mu2 - l ln J) g_b g_a^T + l g_a g_b^T.
#pragma once
#include "base/error.h"
#include "sim/element/material/parameters.h"
#include "sim/element/material/strain.h"

#define MATERIAL_SUMMARY "compressible Mooney-Rivlin: rubber at large stretch, with a second-invariant term"

typedef struct Material {
  real mu1, mu2, lambda;  // Pa; lambda is the constant l in the head of this file
} Material;

HOST_DEVICE Material material_of(const double parameters[MATERIAL_PARAMETERS]) {
  const double mu = parameters[MATERIAL_MU], share = parameters[MATERIAL_SECOND_INVARIANT];
  const Material m = { (real)((1 - share) * mu), (real)(share * mu),
                       (real)(parameters[MATERIAL_LAMBDA] - 2 * share * mu) };
  return m;
}

HOST_DEVICE Material material_times(const Material *m, real factor) {
  const Material stiffer = { factor * m->mu1, factor * m->mu2, factor * m->lambda };
  return stiffer;
}

HOST_DEVICE Material material_mixed(const Material *m, real share, real ratio) {
  const real mu = m->mu1 + m->mu2;
  const Material mixed = { m->mu1, m->mu2, share * m->lambda + ratio * mu - (1 - share) * (2 * m->mu2) };
  return mixed;
}

static inline bool material_check(const double parameters[MATERIAL_PARAMETERS], Error *error) {
  const double mu = parameters[MATERIAL_MU], lambda = parameters[MATERIAL_LAMBDA];
  const double share = parameters[MATERIAL_SECOND_INVARIANT], maximum = lambda < 2 * mu ? lambda / (2 * mu) : 1;
  if (!(lambda >= 0)) return error_set(error, "lambda is %g Pa, expected 0 or more for this material", lambda);
  if (share >= 0 && share <= maximum) return true;
  return error_set(error,
                   "second_invariant is %g, expected 0 to %g: lambda - 2 * second_invariant * mu would be "
                   "negative",
                   share, maximum);
}

// Data of an integration point that the tangent needs; b = F F^T, I1 is its trace, and log_J = ln det F.
typedef struct MaterialPoint {
  real F[3][3], F_inverse_T[3][3], b[3][3], I1, log_J;
} MaterialPoint;

// Returns entry (i, k) of G G^T. The sum must have the same bits in all functions. But strain_square needs some of the
// same products, so a compiler could round the sum differently in functions that call both. times_plus prevents this.
HOST_DEVICE real row_product(const real G[3][3], int i, int k) {
  return times_plus(G[i][2], G[k][2], times_plus(G[i][0], G[k][0], G[i][1] * G[k][1]));
}

HOST_DEVICE real material_stress(const real G[3][3], const Material *m, real P[3][3], MaterialPoint *point) {
  const Strain s = strain_of(G);
  const real J = 1 + s.j, inverse_J = 1 / J, grown = 2 * s.trace + strain_square(G);  // grown: I1 - 3
  real e[3][3];                                                                       // e: b - I
  point->log_J = real_log1p(s.j);
  point->I1 = 3 + grown;
  for (int i = 0; i < 3; i++)
    for (int k = i; k < 3; k++) e[i][k] = e[k][i] = G[i][k] + G[k][i] + row_product(G, i, k);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const real one = i == k ? (real)1 : (real)0;
      point->F[i][k] = G[i][k] + one;
      point->b[i][k] = e[i][k] + one;
      point->F_inverse_T[i][k] = strain_inverse_T(&s, G, inverse_J, i, k);
    }

  // P is computed as (mu1 + 2 mu2) (F - F^-T) + mu2 ((I1 - 3) F - (b - I) F) + l ln J F^-T. Near rest, each term is as
  // small as the strain, and so are the rounding errors.
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const real eF = e[i][k] + e[i][0] * G[0][k] + e[i][1] * G[1][k] + e[i][2] * G[2][k];
      P[i][k] = (m->mu1 + 2 * m->mu2) * strain_difference(&s, G, inverse_J, i, k) +
                m->mu2 * (grown * point->F[i][k] - eF) + m->lambda * point->log_J * point->F_inverse_T[i][k];
    }
  return J;
}

// Returns W, the strain energy density. I1 and I2 are the first two invariants of C = F^T F, and E is Green's strain.
// I1 - 3 is 2 tr E, and I2 - 3 is computed as 4 tr E + 2 (tr^2 E - E:E), so that rounding errors are small near rest.
HOST_DEVICE real material_energy(const real G[3][3], const Material *m) {
  real E[3][3], log_J;
  const real excess = strain_excess(G, &log_J), trace = green_strain(G, E);
  return (m->mu1 + 2 * m->mu2) * excess + m->mu2 * (trace * trace - strain_square(E)) +
         (real)0.5 * m->lambda * log_J * log_J;
}

// Coefficients of the terms of K_ab, the block of two nodes in the tangent (head of this file), each times the argument
// `factor` of material_tangent: mu1, mu2, crossed = mu1 + 2 mu2 - l ln J, and straight = l. The constant l is
// Material.lambda.
typedef struct MaterialTangent {
  real mu1, mu2, crossed, straight;
} MaterialTangent;

// Vectors of a node, from the gradient B of its shape function: g = F^-T B, and h = F B.
typedef struct MaterialNode {
  real g[3], h[3];
} MaterialNode;

typedef struct MaterialPair {
  real own, second;  // coefficients of the matrices I and b = F F^T in the tangent's block of two nodes
} MaterialPair;

HOST_DEVICE MaterialTangent material_tangent(const MaterialPoint *point, const Material *m, real factor) {
  const MaterialTangent t = { factor * m->mu1, factor * m->mu2,
                              factor * (m->mu1 + 2 * m->mu2 - m->lambda * point->log_J), factor * m->lambda };
  return t;
}

HOST_DEVICE MaterialNode material_node(const MaterialPoint *point, const real B[3]) {
  MaterialNode node;
  matrix_times(point->F_inverse_T, B, node.g);
  matrix_times(point->F, B, node.h);
  return node;
}

HOST_DEVICE MaterialPair material_pair(const MaterialPoint *point, const MaterialTangent *t, const real Ba[3],
                                       const real Bb[3], const MaterialNode *a, const MaterialNode *b) {
  const real dot = dot_of(Ba, Bb);
  const MaterialPair pair = { (t->mu1 + t->mu2 * point->I1) * dot - t->mu2 * dot_of(a->h, b->h), t->mu2 * dot };
  return pair;
}

HOST_DEVICE real material_entry(const MaterialPoint *point, const MaterialTangent *t, const MaterialNode *a,
                                const MaterialNode *b, const MaterialPair *pair, int i, int k) {
  return t->mu2 * (2 * a->h[i] * b->h[k] - b->h[i] * a->h[k]) - pair->second * point->b[i][k] +
         t->crossed * b->g[i] * a->g[k] + t->straight * a->g[i] * b->g[k] + (i == k ? pair->own : (real)0);
}

// Computes dP, the change of the stress P if the deformation gradient F changes by H, times the factor in *t:
//   dP = mu1 H + mu2 (2 (F:H) F - F H^T F + I1 H - H F^T F - b H) + (mu1 + 2 mu2 - l ln J) F^-T H^T F^-T
//        + l (F^-T:H) F^-T.
// b = F F^T, I1 is its trace, and J = det F; mu1, mu2 and l are the material's constants.
HOST_DEVICE void material_product(const MaterialPoint *point, const MaterialTangent *t, const real H[3][3],
                                  real dP[3][3]) {
  const real own = t->mu1 + t->mu2 * point->I1;
  real turned[3][3];  // the product H F^T
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) turned[i][k] = dot_of(H[i], point->F[k]);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      real sum = 0;
      for (int j = 0; j < 3; j++) sum += turned[i][j] * point->F[j][k] + point->b[i][j] * H[j][k];
      dP[i][k] = own * H[i][k] - t->mu2 * sum;
    }
  add_crossed(-t->mu2, point->F, H, dP);
  add_times(2 * t->mu2 * contraction(point->F, H), point->F, dP);
  add_crossed(t->crossed, point->F_inverse_T, H, dP);
  add_times(t->straight * contraction(point->F_inverse_T, H), point->F_inverse_T, dP);
}
