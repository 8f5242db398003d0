// The mean stress of one cell. The code of an element includes this file.
#pragma once
#include "sim/element/element.h"

/// Computes sigma, the mean Cauchy stress over a cell's integration points, Pa: xx, yy, zz, xy, yz, xz. Returns the
/// mean of det F. `nodal` are the cell's nodal data, and S its stored constants (element.h). F is the deformation
/// gradient. In an inverted cell the results may be NaN.
HOST_DEVICE real cell_stress(const real *nodal, const real *S, const ElementParameters *parameters, real sigma[6]) {
  real J = 0;
  for (int q = 0; q < SHAPE_POINTS; q++) {
    real s[6];
    const real J_q = element_stress(nodal, S, parameters, q, s);
    J = q == 0 ? J_q : J + J_q;
    for (int k = 0; k < 6; k++) sigma[k] = q == 0 ? s[k] : sigma[k] + s[k];
  }
  for (int k = 0; k < 6; k++) sigma[k] /= SHAPE_POINTS;
  return J / SHAPE_POINTS;
}
