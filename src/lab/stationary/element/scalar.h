// Element of -div(k grad phi) = f, with one unknown per node: a mapped shape (lab/stationary/element/mapped.h), named
// by SHAPE_HEADER, times a conductivity k. sim/element/solid.h is its counterpart for displacements. Assemblies and
// operators use only the names that sim/element/element.h lists.
//   K_ab = sum_q w_q det J k B_a.B_b,   F_a = sum_q w_q det J f(q) N_a(q),   B_a = J^-T dN_a,   f(q) = sum_b N_b f_b
// The sums run over points q of weight w_q. J is the Jacobian matrix of the map, and N_a are the shape functions. Nodal
// data are the position, with as many coordinates as the shape has, and the node's source f. S(e) is the cell's factor
// on the conductivity, Space.stiffness; k is the material's first parameter.
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

/// Computes the load [SHAPE_NODES] and, unless A is NULL, the stiffness [ELEMENT_MATRIX], from nodal data and S.
/// Returns the smallest det J of the points; if it is not positive, the results are invalid.
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
    // dN now holds B_a det J
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
