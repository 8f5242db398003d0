// Element of linear elasticity in the plane. The two unknowns of a node are its displacement. The element combines a
// mapped shape (lab/stationary/element/mapped.h), named by SHAPE_HEADER, with Lame's constants lambda and mu of the
// plane. Its stiffness per metre of thickness has the 2 x 2 blocks
//   K_ab = sum_q w_q det J (lambda B_a B_b^T + mu B_b B_a^T + mu B_a.B_b I)
// The sum runs over integration points q of weight w_q. J is the Jacobian matrix of the map, and B_a is the gradient of
// node a's shape function. The material has three parameters: mu and lambda of the solid in three dimensions, and 1 for
// plane stress or 0 for plane strain. lambda of the plane depends on this choice; mu is that of the solid (moduli.h).
// The nodal data are (X, Y). The problem sets loads at nodes and not by elements, so the element vector is 0. S(e) is
// one number, the factor of cell e on both of Lame's constants.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "lab/stationary/element/mapped.h"
#include "sim/element/material/parameters.h"
#include "sim/element/moduli.h"
#include "sim/element/space.h"
#include "sim/element/symmetric.h"

enum {
  ELEMENT_NODES = SHAPE_NODES,
  ELEMENT_NODE_DATA = 2,
  ELEMENT_NODE_DOF = 2,
  ELEMENT_DOF = 2 * SHAPE_NODES,
  ELEMENT_SUPPLEMENTAL = 1,
  ELEMENT_MATRIX = ELEMENT_DOF * (ELEMENT_DOF + 1) / 2
};

typedef struct ElementParameters {
  real mu, lambda;    // Lame's constants of the plane, Pa
  real matrix_scale;  // factor by which K is multiplied
} ElementParameters;

HOST_DEVICE ElementParameters element_parameters(const double material[MATERIAL_PARAMETERS], double vector_scale,
                                                 double matrix_scale) {
  const double mu = material[0], lambda = lame_plane_lambda(mu, material[1], material[2] != 0);
  const ElementParameters p = { (real)mu, (real)lambda, (real)matrix_scale };
  (void)vector_scale;
  return p;
}

/// Sets the element vector F [2 NODES] to 0. Unless A is NULL, also computes A [ELEMENT_MATRIX], the upper triangle of
/// the stiffness of 2 NODES rows, row by row. Unknown 2 a + i is component i of the displacement of the cell's node a.
/// Returns the smallest det J of the integration points. If it is not positive, the cell is inverted and the results
/// are invalid.
HOST_DEVICE real element_evaluate(const real *nodal, const real *S, const ElementParameters *parameters, real *F,
                                  real *A) {
  real smallest = 0;
  for (int i = 0; i < ELEMENT_DOF; i++) F[i] = 0;
  for (int v = 0; A && v < ELEMENT_MATRIX; v++) A[v] = 0;
  for (int q = 0; q < SHAPE_POINTS; q++) {
    real xi[2], B[SHAPE_NODES][2], J[2][2], C[2][2];
    const real weight = shape_point(q, xi);
    mapped_jacobian(nodal, ELEMENT_NODE_DATA, xi, J);
    const real det = mapped_cofactors(J, C);
    smallest = q == 0 || !(det >= smallest) ? det : smallest;
    if (!A) continue;

    // B holds gradients times det J. A product of two of them contains det J^2, but K contains det J. So `factor` is
    // divided by det J.
    shape_derivatives(xi, B);
    mapped_gradients(C, B);
    const real factor = parameters->matrix_scale * S[0] * weight / det;
    const real mu = factor * parameters->mu, lambda = factor * parameters->lambda;
    int at = 0;
    for (int a = 0; a < SHAPE_NODES; a++)
      for (int i = 0; i < 2; i++)
        for (int b = a; b < SHAPE_NODES; b++)
          for (int k = b == a ? i : 0; k < 2; k++, at++) {
            const real both = i == k ? mu * (B[a][0] * B[b][0] + B[a][1] * B[b][1]) : (real)0;
            A[at] += lambda * B[a][i] * B[b][k] + mu * B[a][k] * B[b][i] + both;
          }
  }
  return smallest;
}

static inline void element_supplemental(const Space *space, int e, real *S) {
  S[0] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
