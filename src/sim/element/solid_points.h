// A solid's tangent by its points, without the element's matrix. The data that the material's tangent needs at a point
// are stored (MaterialPoint: F^-T and ln J of the neo-Hookean solid). A product computes the gradient H of the vector
// at the point, the change of stress dP = dP/dF : H, and each node's contribution dP B_a. For every shape and material
// of solid.h.
#pragma once
#include "sim/element/element.h"

#ifdef __CUDA_ARCH__
#define UNROLL_NODES _Pragma("unroll")
#else
#define UNROLL_NODES
#endif

enum {
  POINT_REALS = sizeof(MaterialPoint) / sizeof(real),  // stored per point
  CELL_POINT_REALS = SHAPE_POINTS * POINT_REALS,       // stored per cell
  DIAGONAL_REALS = 6                                   // upper triangle of a node's diagonal block
};

/// Computes the stored data of point q from nodal data.
HOST_DEVICE void point_linearise(const real *nodal, const real *S, const ElementParameters *parameters, int q,
                                 MaterialPoint *point) {
  MATERIAL_OF_CELL(material, S, parameters);
  real B[SHAPE_NODES][3], G[3][3], P[3][3];
  shape_gradients(S, q, B);
  shape_displacement_gradient(nodal, S, B, G);
  material_stress(G, material, P, point);
}

/// The material's tangent at a point, times the volume and the scale of A_e.
HOST_DEVICE MaterialTangent volume_tangent(const real *S, const ElementParameters *parameters, real volume,
                                           const MaterialPoint *point) {
  MATERIAL_OF_CELL(material, S, parameters);
  return material_tangent(point, material, parameters->matrix_scale * shape_stiffness(S) * volume);
}

/// As volume_tangent, for point q.
HOST_DEVICE MaterialTangent point_tangent(const real *S, const ElementParameters *parameters, int q,
                                          const MaterialPoint *point) {
  return volume_tangent(S, parameters, shape_volume(S, q), point);
}

/// y [ELEMENT_DOF] = contribution of point q to A_e x.
HOST_DEVICE void point_share(const real *S, const ElementParameters *parameters, int q, const MaterialPoint *point,
                             const real *x, real *y) {
  const MaterialTangent t = point_tangent(S, parameters, q, point);
  real B[SHAPE_NODES][3], H[3][3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, dP[3][3];
  shape_gradients(S, q, B);
  // gradients sum to zero, so differences suffice, and a translation of the cell costs no digits
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

/// Contribution of a point to the upper triangle of the diagonal block of a node with gradient B.
HOST_DEVICE void point_diagonal(const MaterialPoint *point, const MaterialTangent *t, const real B[3],
                                real own[DIAGONAL_REALS]) {
  const MaterialNode node = material_node(point, B);
  const MaterialPair pair = material_pair(point, t, B, B, &node, &node);
  for (int i = 0; i < 3; i++)
    for (int k = i; k < 3; k++) own[symmetric_index(3, i, k)] = material_entry(point, t, &node, &node, &pair, i, k);
}
