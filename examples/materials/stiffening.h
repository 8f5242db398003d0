// A rubber that stiffens when it is stretched: neo-Hookean with a term in (I1 - 3)^2, after Yeoh. It is an example of a
// user's material (docs/how-to/own-material.md). Its constant c is the key "second_invariant" of a scene.
// Notation: F is the deformation gradient, G = F - I, J = det F, I1 = tr F^T F, D = I1 - 3 = 2 tr G + G:G,
// l = lambda - 2 c mu. The energy density W and the first Piola-Kirchhoff stress P are
//   W = mu/2 D + c mu/4 D^2 - mu ln J + l/2 ln^2 J
//   P = mu (1 + c D) F + (l ln J - mu) F^-T.
// For a small strain e, D^2 is about 4 tr^2 e, so the term with D^2 adds 2 c mu to Lame's constant l. The sum is
// lambda, so mu and lambda are Lame's constants at small strains.
// B_a is the gradient of node a's shape function at rest; g_a = F^-T B_a and h_a = F B_a. The 3 x 3 block of the
// tangent for nodes a and b is
//   K_ab = mu (1 + c D) (B_a.B_b) I + 2 c mu h_a h_b^T + (mu - l ln J) g_b g_a^T + l g_a g_b^T.
#pragma once
#include "base/error.h"
#include "sim/element/material/parameters.h"
#include "sim/element/material/strain.h"

#define MATERIAL_SUMMARY "neo-Hookean rubber that stiffens when stretched, with a third constant"

// W is linear in the members, so a factor on all members is a factor on the stiffness. All members are in Pa.
typedef struct Material {
  real mu, stiffening, lambda;  // mu; c mu; l, see above
} Material;

HOST_DEVICE Material material_of(const double parameters[MATERIAL_PARAMETERS]) {
  const double mu = parameters[MATERIAL_MU], c = parameters[MATERIAL_SECOND_INVARIANT];
  const Material m = { (real)mu, (real)(c * mu), (real)(parameters[MATERIAL_LAMBDA] - 2 * c * mu) };
  return m;
}

HOST_DEVICE Material material_times(const Material *m, real factor) {
  const Material stiffer = { factor * m->mu, factor * m->stiffening, factor * m->lambda };
  return stiffer;
}

// Returns the material of a body that may have its own Poisson's ratio: `m` with Lame's constant lambda replaced by
// share * lambda + ratio * mu. mu and c do not change. For a body with its own Poisson's ratio, share is 0 and `ratio`
// is lambda / mu of this body. For a body that has the Poisson's ratio of the scene, share is 1 and `ratio` is 0.
HOST_DEVICE Material material_mixed(const Material *m, real share, real ratio) {
  const real lambda = share * m->lambda + ratio * m->mu - (1 - share) * 2 * m->stiffening;
  const Material mixed = { m->mu, m->stiffening, lambda };
  return mixed;
}

static inline bool material_check(const double parameters[MATERIAL_PARAMETERS], Error *error) {
  const double mu = parameters[MATERIAL_MU], c = parameters[MATERIAL_SECOND_INVARIANT];
  const double maximum = parameters[MATERIAL_LAMBDA] / (2 * mu);
  if (c >= 0 && c <= maximum) return true;
  return error_set(error, "second_invariant is %g, expected 0 to lambda / (2 mu) = %g", c, maximum);
}

typedef struct MaterialPoint {
  real F[3][3], F_inverse_T[3][3], grown, log_J;  // F; F^-T; D; ln J
} MaterialPoint;

HOST_DEVICE real material_stress(const real G[3][3], const Material *m, real P[3][3], MaterialPoint *point) {
  const Strain s = strain_of(G);
  const real J = 1 + s.j, inverse_J = 1 / J;
  point->log_J = real_log1p(s.j);
  point->grown = 2 * s.trace + strain_square(G);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      point->F[i][k] = G[i][k] + (i == k ? (real)1 : (real)0);
      point->F_inverse_T[i][k] = strain_inverse_T(&s, G, inverse_J, i, k);

      // strain.h computes F - F^-T from G: subtracting the two matrices would lose digits near rest
      P[i][k] = m->mu * strain_difference(&s, G, inverse_J, i, k) + m->stiffening * point->grown * point->F[i][k] +
                m->lambda * point->log_J * point->F_inverse_T[i][k];
    }
  return J;
}

HOST_DEVICE real material_energy(const real G[3][3], const Material *m) {
  real E[3][3], log_J;
  const real excess = strain_excess(G, &log_J), grown = 2 * green_strain(G, E);
  return m->mu * excess + (real)0.25 * m->stiffening * grown * grown + (real)0.5 * m->lambda * log_J * log_J;
}

// Factors of the four terms of K_ab, in the order of the equation above. Each is multiplied by the point's weight.
typedef struct MaterialTangent {
  real own, second, crossed, straight;
} MaterialTangent;

// Vectors g_a = F^-T B_a and h_a = F B_a of one node.
typedef struct MaterialNode {
  real g[3], h[3];
} MaterialNode;

// The factor of the unit matrix I in K_ab for nodes a and b: mu (1 + c D) B_a.B_b times the point's weight.
typedef struct MaterialPair {
  real dot;
} MaterialPair;

HOST_DEVICE MaterialTangent material_tangent(const MaterialPoint *point, const Material *m, real factor) {
  const MaterialTangent t = { factor * (m->mu + m->stiffening * point->grown), factor * 2 * m->stiffening,
                              factor * (m->mu - m->lambda * point->log_J), factor * m->lambda };
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
  (void)point, (void)a, (void)b;
  const MaterialPair pair = { t->own * dot_of(Ba, Bb) };
  return pair;
}

HOST_DEVICE real material_entry(const MaterialPoint *point, const MaterialTangent *t, const MaterialNode *a,
                                const MaterialNode *b, const MaterialPair *pair, int i, int k) {
  (void)point;
  return t->second * a->h[i] * b->h[k] + t->crossed * b->g[i] * a->g[k] + t->straight * a->g[i] * b->g[k] +
         (i == k ? pair->dot : (real)0);
}

// Computes the derivative of P along a change H of F, times the quadrature point's weight:
//   dP = mu (1 + c D) H + 2 c mu (F:H) F + (mu - l ln J) F^-T H^T F^-T + l (F^-T:H) F^-T
HOST_DEVICE void material_product(const MaterialPoint *point, const MaterialTangent *t, const real H[3][3],
                                  real dP[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) dP[i][k] = t->own * H[i][k];
  add_times(t->second * contraction(point->F, H), point->F, dP);
  add_crossed(t->crossed, point->F_inverse_T, H, dP);
  add_times(t->straight * contraction(point->F_inverse_T, H), point->F_inverse_T, dP);
}
