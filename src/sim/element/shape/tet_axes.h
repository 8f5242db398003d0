// Defines shape_axes_gradient and shape_axes_add (solid.h), for products with the tangent, for tetrahedra with more
// than four nodes. The gradient of a nodal vector is H = sum over k < 3 of a_k b_k^T, where b_k are the gradients of
// the barycentric coordinates. tet10.h and tet20.h include this file after three functions that it needs: shape_volume,
// shape_axes_at (the vectors a_k) and shape_axes_take (adds the vectors dP b_k, with dP the change of stress).
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/shape/tet_corners.h"

// Computes H, the gradient of the nodal vector x at integration point q: the sum over k < 3 of a_k b_k^T. S begins with
// b_0, b_1 and b_2, gradients of barycentric coordinates. Returns the part of the cell's volume that belongs to the
// point, m^3.
HOST_DEVICE real shape_axes_gradient(const real *x, const real *S, const ShapeAxes *axes, int q, real H[3][3]) {
  real a[3][3];
  shape_axes_at(x, axes, q, a);
  UNROLL_SHAPE
  for (int i = 0; i < 3; i++) UNROLL_SHAPE
  for (int k = 0; k < 3; k++) H[i][k] = a[0][i] * S[k] + a[1][i] * S[3 + k] + a[2][i] * S[6 + k];
  return shape_volume(S, q);
}

// Adds the contribution of integration point q to y_a, the sum over all points of dP B_a. dP is the change of stress at
// a point, and B_a the gradient of node a's shape function. Contributions are collected in *axes and in y. From them,
// shape_axes_end computes the final y.
HOST_DEVICE void shape_axes_add(const real dP[3][3], const real *S, int q, ShapeAxes *axes, real *y) {
  real dP_b[3][3];
  UNROLL_SHAPE
  for (int k = 0; k < 3; k++) UNROLL_SHAPE
  for (int i = 0; i < 3; i++) dP_b[k][i] = dP[i][0] * S[3 * k] + dP[i][1] * S[3 * k + 1] + dP[i][2] * S[3 * k + 2];
  shape_axes_take(dP_b, q, axes, y);
}
