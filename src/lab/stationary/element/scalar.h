// Element of -div(k grad phi) = f with one unknown per node: a mapped shape (lab/stationary/element/mapped.h), named by
// SHAPE_HEADER, with a conductivity k. It defines the names that sim/element/element.h lists. Stiffness and load are
//   K_ab = sum_q w_q det J k B_a.B_b,   F_a = sum_q w_q det J f(q) N_a(q)
// The sums run over integration points q of weight w_q. J is the Jacobian matrix of the map, N_a the shape function of
// node a, and B_a its gradient. The source f is given at nodes and interpolated by the shape functions. The nodal data
// of a node are its position, with two or three coordinates, and its source. k is the material's conductivity times
// S(e), the factor Space.stiffness of cell e.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "lab/stationary/element/conductivity.h"
#include "lab/stationary/element/mapped.h"
#include "sim/element/space.h"
#include "sim/element/symmetric.h"

enum {
  ELEMENT_NODES = SHAPE_NODES,
  ELEMENT_NODE_DATA = SHAPE_DIMENSION + 1,
  ELEMENT_NODE_DOF = 1,
  ELEMENT_DOF = SHAPE_NODES,
  ELEMENT_SUPPLEMENTAL = 1,
  ELEMENT_MATRIX = SHAPE_NODES * (SHAPE_NODES + 1) / 2
};

/// Computes the load vector F [SHAPE_NODES] and, unless A is NULL, the stiffness A [ELEMENT_MATRIX], its upper triangle
/// by rows. `nodal` holds position and source of each node, S the cell's factor on the conductivity k. Returns the
/// smallest det J of the integration points. If it is not positive, the cell is inverted and the results are invalid.
HOST_DEVICE real element_evaluate(const real *nodal, const real *S, const ElementParameters *parameters, real *F,
                                  real *A) {
  real smallest = 0;
  for (int a = 0; a < SHAPE_NODES; a++) F[a] = 0;
  for (int v = 0; A && v < ELEMENT_MATRIX; v++) A[v] = 0;
  for (int q = 0; q < SHAPE_POINTS; q++) {
    real xi[SHAPE_DIMENSION], N[SHAPE_NODES], dN[SHAPE_NODES][SHAPE_DIMENSION];
    real J[SHAPE_DIMENSION][SHAPE_DIMENSION], C[SHAPE_DIMENSION][SHAPE_DIMENSION];
    const real weight = shape_point(q, xi);
    mapped_jacobian(nodal, ELEMENT_NODE_DATA, xi, J);
    const real det = mapped_cofactors(J, C);
    shape_values(xi, N);
    real f = 0;
    for (int b = 0; b < SHAPE_NODES; b++) f += N[b] * nodal[b * ELEMENT_NODE_DATA + SHAPE_DIMENSION];
    for (int a = 0; a < SHAPE_NODES; a++) F[a] += parameters->vector_scale * weight * det * f * N[a];
    smallest = q == 0 || !(det >= smallest) ? det : smallest;
    if (!A) continue;

    // after these two calls, dN[a] is the gradient of the shape function of node a, times det J
    shape_derivatives(xi, dN);
    mapped_gradients(C, dN);
    const real factor = parameters->matrix_scale * parameters->conductivity * S[0] * weight / det;
    int at = 0;
    for (int a = 0; a < SHAPE_NODES; a++)
      for (int b = a; b < SHAPE_NODES; b++, at++) {
        real dot = 0;
        for (int i = 0; i < SHAPE_DIMENSION; i++) dot += dN[a][i] * dN[b][i];
        A[at] += factor * dot;
      }
  }
  return smallest;
}

static inline void element_supplemental(const Space *space, int e, real *S) {
  S[0] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
