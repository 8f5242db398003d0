// Products with a solid's tangent at its integration points, as in solid_points.h, but with fewer operations. S is
// S(e), the data that the element stores for a cell at rest. The method uses the gradients b_k, k < 3, of the linear
// shape functions of the cell's corners. These must be equal at all points, so edges must be straight, and the
// material's tangent must be compact (neo_hookean.h). The gradient of a nodal vector at a point is H, the sum of a_j
// b_j^T. With g_k = F^-T b_k, c_jk = a_j.g_k, and the cell's constants m_jk = b_j.b_k,
//   dP b_k = constant sum_j m_jk a_j + number sum_j c_jk g_j + lambda (sum_j c_jj) g_k.
// `constant`, `number` and lambda are the coefficients compact_constant, compact_number and compact_straight of the
// material. This needs three quarters of the operations with H, F^-T and dP. The g_k of a point are stored instead of
// F^-T, and products read the m_jk and the volume of a cell instead of S(e).
#pragma once
#include "sim/element/solid_points.h"

#if defined SHAPE_STRAIGHT && defined MATERIAL_COMPACT && !defined SHAPE_MIXED
#define POINTS_BY_AXES

// Stored data of an integration point.
typedef struct AxisPoint {
  real g[3][3];  // [k], g_k
  real number;   // compact_number of the material
} AxisPoint;

enum { AXIS_CELL_REALS = 7 };

/// Computes the stored data of a cell: V m_jk, as the upper triangle by rows, and V, the first point's part of the
/// volume times the cell's factor on the moduli.
HOST_DEVICE void axis_cell(const real *S, real cell[AXIS_CELL_REALS]) {
  const real V = shape_stiffness(S) * shape_volume(S, 0);
  real b[4][3];
  shape_corner_gradients(S, b);
  for (int j = 0; j < 3; j++)
    for (int k = j; k < 3; k++) cell[symmetric_index(3, j, k)] = V * dot_of(b[j], b[k]);
  cell[6] = V;
}

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

// Coefficients of the tangent in a cell: constant * V m_jk, V, and V * lambda, each times the scale of the matrix.
typedef struct AxisTangent {
  real m[6], factor, straight;
} AxisTangent;

HOST_DEVICE AxisTangent axis_tangent(const real cell[AXIS_CELL_REALS], const ElementParameters *parameters) {
  const real constant = parameters->matrix_scale * compact_constant(&parameters->material);
  AxisTangent t;
  for (int v = 0; v < 6; v++) t.m[v] = constant * cell[v];
  t.factor = parameters->matrix_scale * cell[6];
  t.straight = t.factor * compact_straight(&parameters->material);
  return t;
}

/// Computes dP b_k at an integration point from the vectors a_j of the gradient.
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

// Computes g of a corner. That of corner 3 follows from the others, since the four sum to 0.
HOST_DEVICE void axis_corner(const AxisPoint *point, int corner, real g[3]) {
  for (int i = 0; i < 3; i++)
    g[i] = corner == 0   ? point->g[0][i]
           : corner == 1 ? point->g[1][i]
           : corner == 2 ? point->g[2][i]
                         : -(point->g[0][i] + point->g[1][i] + point->g[2][i]);
}

/// Adds the contribution of an integration point to the block of corners j and k, whose gradients are b_j and b_k.
/// `factor` multiplies the tangent.
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
