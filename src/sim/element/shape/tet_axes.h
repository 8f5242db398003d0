// For tetrahedra with more than four nodes: defines shape_axes_gradient and shape_axes_add, the functions of solid.h
// for products with the tangent. The gradient of a displacement is H = sum_k a_k b_k^T, where b_k are the gradients of
// the barycentric coordinates. tet10.h and tet20.h include this file. Before that, they define shape_volume,
// shape_axes_at, which computes the vectors a_k, and shape_axes_take, which adds the contributions of the vectors dP
// b_k (dP: change of stress).
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/shape/tet_corners.h"

// Computes H, the gradient of the nodal vector at integration point q, as the sum over k < 3 of a_k b_k^T. The b_k are
// in S, the cell's stored data. Returns the point's part of the cell's volume, m^3.
HOST_DEVICE real shape_axes_gradient(const real *x, const real *S, const ShapeAxes *axes, int q, real H[3][3]) {
  real a[3][3];
  shape_axes_at(x, axes, q, a);
  UNROLL_SHAPE
  for (int i = 0; i < 3; i++) UNROLL_SHAPE
  for (int k = 0; k < 3; k++) H[i][k] = a[0][i] * S[k] + a[1][i] * S[3 + k] + a[2][i] * S[6 + k];
  return shape_volume(S, q);
}

// Adds the contribution of integration point q to the nodes' results in *axes and y. dP is the change of stress at the
// point.
HOST_DEVICE void shape_axes_add(const real dP[3][3], const real *S, int q, ShapeAxes *axes, real *y) {
  real dP_b[3][3];
  UNROLL_SHAPE
  for (int k = 0; k < 3; k++) UNROLL_SHAPE
  for (int i = 0; i < 3; i++) dP_b[k][i] = dP[i][0] * S[3 * k] + dP[i][1] * S[3 * k + 1] + dP[i][2] * S[3 * k + 2];
  shape_axes_take(dP_b, q, axes, y);
}
