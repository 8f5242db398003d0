// The compressible neo-Hookean solid (paper 000, section 16.4.1); element/solid.h lists the functions of a material. F
// is the deformation gradient, J = det F, W the strain energy density and P the first Piola-Kirchhoff stress.
//   W = mu/2 (F:F - 3) + lambda/2 ln^2 J - mu ln J;
//   P = mu F + (lambda ln J - mu) F^-T.
// The block of nodes a and b in the tangent, with the gradients B_a of shape functions and g_a = F^-T B_a, is
//   K_ab = mu (B_a.B_b) I + (mu - lambda ln J) g_b g_a^T + lambda g_a g_b^T.
// This is Eq. 7 of paper 000, with corrected indices in the last term.
#pragma once
#include "sim/element/material/lame.h"
#include "sim/element/material/strain.h"

#define MATERIAL_SUMMARY "compressible neo-Hookean: rubber and soft tissue (paper 000)"

// Data of an integration point that the tangent needs: F^-T and ln J.
typedef struct MaterialPoint {
  real F_inverse_T[3][3], log_J;
} MaterialPoint;

HOST_DEVICE real material_stress(const real G[3][3], const Material *m, real P[3][3], MaterialPoint *point) {
  const Strain s = strain_of(G);
  const real J = 1 + s.j, inverse_J = 1 / J;
  point->log_J = real_log1p(s.j);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      point->F_inverse_T[i][k] = strain_inverse_T(&s, G, inverse_J, i, k);
      P[i][k] = m->mu * strain_difference(&s, G, inverse_J, i, k) + m->lambda * point->log_J * point->F_inverse_T[i][k];
    }
  return J;
}

HOST_DEVICE real material_energy(const real G[3][3], const Material *m) {
  real log_J;
  const real excess = strain_excess(G, &log_J);
  return m->mu * excess + (real)0.5 * m->lambda * log_J * log_J;
}

// Coefficients of the tangent. The block of nodes a and b is mu (B_a.B_b) I + crossed g_b g_a^T + straight g_a g_b^T.
// B_a is the gradient of node a's shape function, and g_a = F^-T B_a. Here crossed is mu - lambda ln det F, and
// straight is lambda. mu, crossed and straight include the argument `factor` of material_tangent.
typedef struct MaterialTangent {
  real mu, crossed, straight;
} MaterialTangent;

// The vector of a node, from the gradient B of its shape function: g = F^-T B.
typedef struct MaterialNode {
  real g[3];
} MaterialNode;

// The number that the tangent needs for each pair of nodes a and b: mu B_a.B_b times the argument `factor` of
// material_tangent. B_a and B_b are the gradients of their shape functions.
typedef struct MaterialPair {
  real dot;
} MaterialPair;

HOST_DEVICE MaterialTangent material_tangent(const MaterialPoint *point, const Material *m, real factor) {
  const MaterialTangent t = { factor * m->mu, factor * (m->mu - m->lambda * point->log_J), factor * m->lambda };
  return t;
}

HOST_DEVICE MaterialNode material_node(const MaterialPoint *point, const real B[3]) {
  MaterialNode node;
  matrix_times(point->F_inverse_T, B, node.g);
  return node;
}

HOST_DEVICE MaterialPair material_pair(const MaterialPoint *point, const MaterialTangent *t, const real Ba[3],
                                       const real Bb[3], const MaterialNode *a, const MaterialNode *b) {
  (void)point, (void)a, (void)b;
  const MaterialPair pair = { t->mu * dot_of(Ba, Bb) };
  return pair;
}

HOST_DEVICE real material_entry(const MaterialPoint *point, const MaterialTangent *t, const MaterialNode *a,
                                const MaterialNode *b, const MaterialPair *pair, int i, int k) {
  (void)point;
  return t->crossed * b->g[i] * a->g[k] + t->straight * a->g[i] * b->g[k] + (i == k ? pair->dot : (real)0);
}

// Computes dP, the change of the stress P if the deformation gradient F changes by H, times the factor in *t:
//   dP = mu H + (mu - lambda ln J) F^-T H^T F^-T + lambda (F^-T:H) F^-T,  J = det F.
HOST_DEVICE void material_product(const MaterialPoint *point, const MaterialTangent *t, const real H[3][3],
                                  real dP[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) dP[i][k] = t->mu * H[i][k];
  add_crossed(t->crossed, point->F_inverse_T, H, dP);
  add_times(t->straight * contraction(point->F_inverse_T, H), point->F_inverse_T, dP);
}

// The tangent in compact form, for assemblies that store only a few numbers for each cell. V K_ab is the cell's part of
// the 3 x 3 block of nodes a and b. V is the cell's volume times its factor on the moduli, and B_a the gradient of node
// a's shape function.
// With h_a = sqrt(V) F^-T B_a and r = mu - lambda ln J,
//   V K_ab = r h_b h_a^T + lambda h_a h_b^T + mu V (B_a.B_b) I.
// Only the first two terms depend on the deformation, so the last term is summed over all cells only once.
#define MATERIAL_COMPACT

/// Computes P, the stress times `weight`. Sets *point to F^-T times `root`, and ln J. Returns J. The factors are
/// applied here, because this takes fewer operations than multiplying the results afterwards.
HOST_DEVICE real compact_stress(const real G[3][3], const Material *m, real weight, real root, real P[3][3],
                                MaterialPoint *point) {
  const Strain s = strain_of(G);
  const real J = 1 + s.j, inverse_J = 1 / J;
  point->log_J = real_log1p(s.j);
  const real scaled = weight * inverse_J, difference = scaled * m->mu, inverse = scaled * m->lambda * point->log_J;
  const real of_root = root * inverse_J;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const real C = strain_inverse_T(&s, G, 1, i, k);
      P[i][k] = difference * strain_difference(&s, G, 1, i, k) + inverse * C;
      point->F_inverse_T[i][k] = of_root * C;
    }
  return J;
}

/// Returns r = mu - lambda ln J, Pa, the coefficient of g_b g_a^T in the tangent's block of nodes a and b. g_a = F^-T
/// B_a, with B_a the gradient of node a's shape function.
HOST_DEVICE real compact_number(const MaterialPoint *point, const Material *m) {
  return m->mu - m->lambda * point->log_J;
}

/// Returns lambda, Pa, the coefficient of g_a g_b^T in the tangent's block of nodes a and b. g_a = F^-T B_a, with B_a
/// the gradient of node a's shape function.
HOST_DEVICE real compact_straight(const Material *m) {
  return m->lambda;
}

/// Computes K += r h_b h_a^T + lambda h_a h_b^T, the part of the 3 x 3 block of nodes a and b that depends on the
/// deformation. `r` is mu - lambda ln J, and h_a is F^-T B_a, with B_a the gradient of node a's shape function; r, h_a
/// and h_b may include a factor. On a GPU each of the two products is added to K by one fused multiply-add. Computing
/// their sum first, and then adding the sum to K, would take three operations for each entry.
HOST_DEVICE void compact_add(const Material *m, real r, const real h_a[3], const real h_b[3], real K[9]) {
  for (int i = 0; i < 3; i++) {
    const real crossed = r * h_b[i], straight = m->lambda * h_a[i];
    for (int k = 0; k < 3; k++) {
#ifdef __CUDA_ARCH__
      K[3 * i + k] += straight * h_b[k];
      K[3 * i + k] += crossed * h_a[k];
#else
      K[3 * i + k] += crossed * h_a[k] + straight * h_b[k];
#endif
    }
  }
}

/// Adds (r + lambda) h h^T to K, the diagonal block of a node. compact_add adds the same matrix if h_a = h_b = h. K is
/// symmetric, so only its upper triangle is stored: K [6] = xx, xy, xz, yy, yz, zz.
HOST_DEVICE void compact_add_diagonal(const Material *m, real r, const real h[3], real K[6]) {
  const real both = r + m->lambda, x = both * h[0], y = both * h[1];
  K[0] += x * h[0];
  K[1] += x * h[1];
  K[2] += x * h[2];
  K[3] += y * h[1];
  K[4] += y * h[2];
  K[5] += both * h[2] * h[2];
}

/// Returns mu, Pa, the coefficient of (B_a.B_b) I in the tangent's block of nodes a and b. B_a is the gradient of node
/// a's shape function.
HOST_DEVICE real compact_constant(const Material *m) {
  return m->mu;
}
