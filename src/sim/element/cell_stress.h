// The mean stress of one cell. For each element (cell shape with a material), the source files of the element include
// this file.
#pragma once
#include "sim/element/element.h"

/// Computes sigma, the mean Cauchy stress over a cell's integration points, Pa: xx, yy, zz, xy, yz, xz. Returns the
/// mean of det F, with F the deformation gradient. `nodal` has the displacements or positions of the cell's nodes, and
/// S the cell's stored constants (element.h). In an inverted cell the results may be NaN.
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
