// Products A_e x with the element matrix A_e of a solid, for operators that store no matrix. Only the numbers that the
// material's tangent needs are stored for each integration point (MaterialPoint). For the neo-Hookean solid these are
// F^-T and ln J, with F the deformation gradient and J = det F.
//
// x has a vector for each node of the cell. A product has three steps at each integration point. It computes H, the
// gradient of x; then dP = dP/dF : H, the change of stress if F changes by H; then dP B_a, the contribution to each
// node a. B_a is the gradient of the node's shape function. This works for all shapes and materials of solid.h.
#pragma once
#include "sim/element/element.h"

#ifdef __CUDA_ARCH__
#define UNROLL_NODES _Pragma("unroll")
#else
#define UNROLL_NODES
#endif

enum {
  POINT_REALS = sizeof(MaterialPoint) / sizeof(real),  // number of reals that are stored for each integration point
  CELL_POINT_REALS = SHAPE_POINTS * POINT_REALS,       // number of reals that are stored for each cell
  // number of reals of a node's 3 x 3 diagonal block, which is symmetric: its upper triangle
  DIAGONAL_REALS = 6
};

/// Computes *point, the numbers that are stored for integration point q of a cell. `nodal` has the displacements of the
/// cell's nodes, or the positions if SHAPE_POSITIONS is 1.
HOST_DEVICE void point_linearise(const real *nodal, const real *S, const ElementParameters *parameters, int q,
                                 MaterialPoint *point) {
  MATERIAL_OF_CELL(material, S, parameters);
  real B[SHAPE_NODES][3], G[3][3], P[3][3];
  shape_gradients(S, q, B);
  shape_displacement_gradient(nodal, S, B, G);
  material_stress(G, material, P, point);
}

/// Returns the coefficients of the material's tangent at an integration point, multiplied by three numbers: `volume`,
/// the part of the cell's volume that belongs to the point, m^3; the factor by which the cell multiplies the moduli;
/// and matrix_scale, the factor of the element matrix.
HOST_DEVICE MaterialTangent volume_tangent(const real *S, const ElementParameters *parameters, real volume,
                                           const MaterialPoint *point) {
  MATERIAL_OF_CELL(material, S, parameters);
  return material_tangent(point, material, parameters->matrix_scale * shape_stiffness(S) * volume);
}

/// Returns the coefficients of the material's tangent at integration point q, multiplied by three numbers: the part of
/// the cell's volume that belongs to the point; the factor by which the cell multiplies the moduli; and matrix_scale.
HOST_DEVICE MaterialTangent point_tangent(const real *S, const ElementParameters *parameters, int q,
                                          const MaterialPoint *point) {
  return volume_tangent(S, parameters, shape_volume(S, q), point);
}

/// Computes y [ELEMENT_DOF], the contribution of integration point q to A_e x. A_e is the element matrix, and x
/// [ELEMENT_DOF] has a vector for each node.
HOST_DEVICE void point_share(const real *S, const ElementParameters *parameters, int q, const MaterialPoint *point,
                             const real *x, real *y) {
  const MaterialTangent t = point_tangent(S, parameters, q, point);
  real B[SHAPE_NODES][3], H[3][3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, dP[3][3];
  shape_gradients(S, q, B);

  // Subtract the last node's x from all others, to avoid rounding errors if all x are large. The result stays the same,
  // since the gradients B_a sum to 0.
  // clang-format off
  UNROLL_NODES
  for (int a = 0; a < SHAPE_NODES - 1; a++)
    UNROLL_NODES
    for (int i = 0; i < 3; i++) {
      const real moved = x[3 * a + i] - x[ELEMENT_DOF - 3 + i];
      for (int k = 0; k < 3; k++) H[i][k] += moved * B[a][k];
    }
  material_product(point, &t, H, dP);
  UNROLL_NODES
  for (int a = 0; a < SHAPE_NODES; a++)
    UNROLL_NODES
    for (int i = 0; i < 3; i++) y[3 * a + i] = dot_of(dP[i], B[a]);
  // clang-format on
}

/// Computes the contribution of an integration point to the 3 x 3 diagonal block of a node: its upper triangle xx, xy,
/// xz, yy, yz, zz. B is the gradient of the node's shape function.
HOST_DEVICE void point_diagonal(const MaterialPoint *point, const MaterialTangent *t, const real B[3],
                                real own[DIAGONAL_REALS]) {
  const MaterialNode node = material_node(point, B);
  const MaterialPair pair = material_pair(point, t, B, B, &node, &node);
  for (int i = 0; i < 3; i++)
    for (int k = i; k < 3; k++) own[symmetric_index(3, i, k)] = material_entry(point, t, &node, &node, &pair, i, k);
}
