// Computes products of a solid's tangent with a nodal vector (three numbers for each node), at the integration points
// of a cell. The formulas of this file need three quarters of the floating-point operations of the formulas in
// solid_points.h. Two conditions must hold. The cells have straight edges, so that b_k, the gradient of the linear
// shape function of corner k, is constant in a cell. The material's tangent has a compact form (neo_hookean.h).
//
// At an integration point, F is the deformation gradient, H the gradient of the nodal vector, and dP the change of the
// first Piola-Kirchhoff stress if F changes by H. The file computes the vectors dP b_k, k < 3. H is the sum over j < 3
// of a_j b_j^T, with vectors a_j that the shape computes. With g_k = F^-T b_k, c_jk = a_j.g_k and m_jk = b_j.b_k,
//   dP b_k = constant sum_j m_jk a_j + number sum_j c_jk g_j + lambda (sum_j c_jj) g_k.
// `constant`, `number` and lambda are scalars: the results of compact_constant, compact_number and compact_straight.
// Each point stores its three g_k and `number`. Each cell stores its m_jk and its volume.
#pragma once
#include "sim/element/solid_points.h"

#if defined SHAPE_STRAIGHT && defined MATERIAL_COMPACT && !defined SHAPE_MIXED
#define POINTS_BY_AXES

// Stored data of one integration point, for products with the tangent. F is the deformation gradient at the point.
typedef struct AxisPoint {
  real g[3][3];  // g[k] is F^-T b_k, where b_k is the gradient of the linear shape function of corner k
  real number;   // result of compact_number, Pa; mu - lambda ln J for the neo-Hookean solid
} AxisPoint;

// number of reals that axis_cell stores for each cell: six products of gradients, and a volume
enum { AXIS_CELL_REALS = 7 };

/// Computes the stored data of a cell from S, the constants of the cell at rest. V is the volume that belongs to
/// integration point 0, m^3, times the factor by which the cell multiplies the material's moduli. b_k is the gradient
/// of the linear shape function of corner k.
///   cell[0] to cell[5]   V b_j.b_k for (j, k) = (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)
///   cell[6]              V
HOST_DEVICE void axis_cell(const real *S, real cell[AXIS_CELL_REALS]) {
  const real V = shape_stiffness(S) * shape_volume(S, 0);
  real b[4][3];
  shape_corner_gradients(S, b);
  for (int j = 0; j < 3; j++)
    for (int k = j; k < 3; k++) cell[symmetric_index(3, j, k)] = V * dot_of(b[j], b[k]);
  cell[6] = V;
}

// Returns the stored data of an integration point: three vectors g_k and one number. `point` has the material's data at
// this point, such as F^-T.
HOST_DEVICE AxisPoint axis_point(const real *S, const Material *material, const MaterialPoint *point) {
  AxisPoint made;
  real b[4][3];
  shape_corner_gradients(S, b);
  for (int k = 0; k < 3; k++) {
    const MaterialNode node = material_node(point, b[k]);
    for (int i = 0; i < 3; i++) made.g[k][i] = node.g[i];
  }
  made.number = compact_number(point, material);
  return made;
}

// Coefficients of the tangent in a cell. b_k is the gradient of the linear shape function of corner k. V is the volume
// that belongs to integration point 0, m^3, times the factor by which the cell multiplies the material's moduli. w is V
// times matrix_scale, the factor of the element matrix.
//   m [6]      w * compact_constant * b_j.b_k for (j, k) = (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)
//   factor     w
//   straight   w * compact_straight, which is w * lambda
typedef struct AxisTangent {
  real m[6], factor, straight;
} AxisTangent;

// Returns the coefficients of the tangent in a cell, from the cell's stored data.
HOST_DEVICE AxisTangent axis_tangent(const real cell[AXIS_CELL_REALS], const ElementParameters *parameters) {
  const real constant = parameters->matrix_scale * compact_constant(&parameters->material);
  AxisTangent t;
  for (int v = 0; v < 6; v++) t.m[v] = constant * cell[v];
  t.factor = parameters->matrix_scale * cell[6];
  t.straight = t.factor * compact_straight(&parameters->material);
  return t;
}

/// Computes the vectors dP b_k, k < 3, at an integration point, times the factor w of AxisTangent. dP is the change of
/// the stress, and b_k the gradient of corner k's linear shape function. The vectors a[j] must fulfil H = sum over j of
/// a_j b_j^T, with H the gradient of the nodal vector.
HOST_DEVICE void axis_product(const AxisPoint *point, const AxisTangent *t, const real a[3][3], real dP_b[3][3]) {
  const real number = t->factor * point->number;
  real c[3][3];

  // clang-format off
  UNROLL_NODES
  for (int j = 0; j < 3; j++)
    UNROLL_NODES
    for (int k = 0; k < 3; k++) c[j][k] = dot_of(a[j], point->g[k]);
  const real trace = t->straight * (c[0][0] + c[1][1] + c[2][2]);
  UNROLL_NODES
  for (int j = 0; j < 3; j++)
    UNROLL_NODES
    for (int k = 0; k < 3; k++) c[j][k] = j == k ? number * c[j][k] + trace : number * c[j][k];
  UNROLL_NODES
  for (int k = 0; k < 3; k++)
    UNROLL_NODES
    for (int i = 0; i < 3; i++) {
      real sum = t->m[symmetric_index(3, 0, k)] * a[0][i];
      UNROLL_NODES
      for (int j = 1; j < 3; j++) sum += t->m[symmetric_index(3, j, k)] * a[j][i];
      UNROLL_NODES
      for (int j = 0; j < 3; j++) sum += c[j][k] * point->g[j][i];  // one fused multiply-add per term
      dP_b[k][i] = sum;
    }
  // clang-format on
}

// Computes g = F^-T b for one of the four corners. F is the deformation gradient, and b the gradient of the corner's
// linear shape function. g of corner 3 is minus the sum of the other three.
HOST_DEVICE void axis_corner(const AxisPoint *point, int corner, real g[3]) {
  for (int i = 0; i < 3; i++)
    g[i] = corner == 0   ? point->g[0][i]
           : corner == 1 ? point->g[1][i]
           : corner == 2 ? point->g[2][i]
                         : -(point->g[0][i] + point->g[1][i] + point->g[2][i]);
}

/// Adds the contribution of an integration point, times `factor`, to the 3 x 3 block of the tangent for corners j and
/// k. b_j and b_k are the gradients of their linear shape functions.
HOST_DEVICE void axis_add_corners(const AxisPoint *point, const ElementParameters *parameters, real factor,
                                  const real b_j[3], const real b_k[3], int j, int k, real block[9]) {
  const real constant = compact_constant(&parameters->material) * dot_of(b_j, b_k);
  real g_j[3], g_k[3], sum[9] = { 0, 0, 0, 0, 0, 0, 0, 0, 0 };
  axis_corner(point, j, g_j);
  axis_corner(point, k, g_k);
  compact_add(&parameters->material, point->number, g_j, g_k, sum);
  for (int v = 0; v < 9; v++) block[v] += factor * (v % 4 == 0 ? sum[v] + constant : sum[v]);
}

#endif
