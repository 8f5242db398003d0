// Products with a solid's tangent A_e x that do not compute the element matrix A_e, for operators that store no matrix.
// S is S(e), the data that the element stores for a cell at rest. For each integration point, only the data that the
// material's tangent needs are stored (MaterialPoint, for example F^-T and ln J of the neo-Hookean solid). A product
// computes three things at each point: the gradient H of the nodal vectors x; the change of stress dP = dP/dF : H; and
// the contribution dP B_a to each node a. This works for all shapes and materials of solid.h.
#pragma once
#include "sim/element/element.h"

#ifdef __CUDA_ARCH__
#define UNROLL_NODES _Pragma("unroll")
#else
#define UNROLL_NODES
#endif

enum {
  POINT_REALS = sizeof(MaterialPoint) / sizeof(real),  // number of reals stored per integration point
  CELL_POINT_REALS = SHAPE_POINTS * POINT_REALS,       // number of reals stored per cell
  DIAGONAL_REALS = 6                                   // number of reals of a node's diagonal block, as upper triangle
};

/// Computes the stored data of integration point q from nodal data.
HOST_DEVICE void point_linearise(const real *nodal, const real *S, const ElementParameters *parameters, int q,
                                 MaterialPoint *point) {
  MATERIAL_OF_CELL(material, S, parameters);
  real B[SHAPE_NODES][3], G[3][3], P[3][3];
  shape_gradients(S, q, B);
  shape_displacement_gradient(nodal, S, B, G);
  material_stress(G, material, P, point);
}

/// Returns the material's tangent at an integration point with this volume, m^3, times the volume and matrix_scale.
HOST_DEVICE MaterialTangent volume_tangent(const real *S, const ElementParameters *parameters, real volume,
                                           const MaterialPoint *point) {
  MATERIAL_OF_CELL(material, S, parameters);
  return material_tangent(point, material, parameters->matrix_scale * shape_stiffness(S) * volume);
}

/// As volume_tangent, with the volume of integration point q.
HOST_DEVICE MaterialTangent point_tangent(const real *S, const ElementParameters *parameters, int q,
                                          const MaterialPoint *point) {
  return volume_tangent(S, parameters, shape_volume(S, q), point);
}

/// Computes y [ELEMENT_DOF], the contribution of integration point q to A_e x.
HOST_DEVICE void point_share(const real *S, const ElementParameters *parameters, int q, const MaterialPoint *point,
                             const real *x, real *y) {
  const MaterialTangent t = point_tangent(S, parameters, q, point);
  real B[SHAPE_NODES][3], H[3][3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, dP[3][3];
  shape_gradients(S, q, B);
  // subtract the x of the last node, which changes nothing since the gradients B_a sum to 0, but avoids rounding errors
  // if all x are large
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

/// Computes the contribution of an integration point to the diagonal block of a node with the shape gradient B, as
/// upper triangle by rows.
HOST_DEVICE void point_diagonal(const MaterialPoint *point, const MaterialTangent *t, const real B[3],
                                real own[DIAGONAL_REALS]) {
  const MaterialNode node = material_node(point, B);
  const MaterialPair pair = material_pair(point, t, B, B, &node, &node);
  for (int i = 0; i < 3; i++)
    for (int k = i; k < 3; k++) own[symmetric_index(3, i, k)] = material_entry(point, t, &node, &node, &pair, i, k);
}
