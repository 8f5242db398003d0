// The linear triangle for -div(k grad phi) = f, with one unknown per node; the plane form of poisson_tet.h (paper 003,
// Eq. 4). K_ab is the entry of the element matrix for two different nodes a and b, and c is the third node:
//   K_ab = -k/2 cot theta_c,   cot theta_c = u.v / (2 area)
// theta_c is the angle at node c; u is the edge from c to a, and v the edge from c to b. Each node has the data X, Y
// (position) and f (source). The element has no stored constants S(e).
#pragma once
#include "lab/stationary/element/conductivity.h"
#include "sim/element/space.h"
#include "sim/element/symmetric.h"

enum {
  ELEMENT_NODES = 3,
  ELEMENT_NODE_DATA = 3,
  ELEMENT_NODE_DOF = 1,
  ELEMENT_DOF = 3,
  ELEMENT_SUPPLEMENTAL = 0,
  ELEMENT_MATRIX = 6
};

/// Computes the load vector F [3] for a source that is linear in the triangle and, unless A is NULL, the stiffness A
/// [6], its upper triangle by rows. nodal [3][3] holds (X, Y, f) of each node: position and source. Returns twice the
/// area.
HOST_DEVICE real element_evaluate(const real *nodal, const real *S, const ElementParameters *parameters, real *F,
                                  real *A) {
  (void)S;
  const real ux = nodal[0] - nodal[6], uy = nodal[1] - nodal[7], vx = nodal[3] - nodal[6], vy = nodal[4] - nodal[7];
  const real area2 = ux * vy - uy * vx, sources = nodal[2] + nodal[5] + nodal[8];
  for (int a = 0; a < 3; a++) F[a] = parameters->vector_scale * area2 / 24 * (sources + nodal[3 * a + 2]);
  if (!A) return area2;

  const real factor = parameters->matrix_scale * parameters->conductivity / (2 * area2);
  real opposite[3];  // opposite[c]: -K_ab for the two corners a and b other than c
  for (int c = 0; c < 3; c++) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    opposite[c] = factor * ((nodal[3 * a] - nodal[3 * c]) * (nodal[3 * b] - nodal[3 * c]) +
                            (nodal[3 * a + 1] - nodal[3 * c + 1]) * (nodal[3 * b + 1] - nodal[3 * c + 1]));
  }
  A[0] = opposite[1] + opposite[2];
  A[1] = -opposite[2];
  A[2] = -opposite[1];
  A[3] = opposite[0] + opposite[2];
  A[4] = -opposite[0];
  A[5] = opposite[0] + opposite[1];
  return area2;
}

static inline void element_supplemental(const Space *space, int e, real *S) {
  (void)space, (void)e, (void)S;
}
