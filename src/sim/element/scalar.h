// The element of -div(k grad phi) = f, one unknown a node: a shape of cells, mapped from a reference cell, times a
// conductivity. The analogue of solid.h for a scalar; assemblies and cell operators know only what element.h lists.
//   K_ab = sum_q w_q det J k B_a.B_b,   F_a = sum_q w_q det J f(q) N_a(q),   B_a = J^-T dN_a,   f(q) = sum_b N_b f_b
// Nodal data are the position in as many coordinates as the shape has, then the source f of the node. Supplemental data
// S(e) is the cell's factor on the conductivity, Space.stiffness; k itself is the material's first parameter.
//
// A shape that is mapped (sim/shape/tri3.h, quad.h) is a header, named by SHAPE_HEADER, that gives in terms of `real`,
// as HOST_DEVICE functions that hold on both devices,
//   SHAPE_NODES, SHAPE_DIMENSION    nodes of a cell, in the order of mesh/cell_shape.h; 2 or 3, and
//   SHAPE_IN_PLANE                  a macro, where it is 2
//   SHAPE_POINTS                    points of the rule, enough for the products of two shape functions
//   SHAPE_MAP_NODES                 nodes that the geometry is mapped by: its corners
//   shape_point(q, xi [DIMENSION])             the point's reference coordinates; returns its weight. Weights add up to
//                                              the volume of the reference cell
//   shape_values(xi, N [NODES])                shape functions there
//   shape_derivatives(xi, dN [NODES][DIMENSION])           their derivatives by xi
//   shape_map_node(m)                          which of the cell's nodes is the m-th that maps
//   shape_map_derivatives(xi, dM [MAP_NODES][DIMENSION])   derivatives by xi of the functions that map
// What the same cell is at run time is in mesh/cell_shape.h, against which tests hold these headers: a new one needs
// its CellShape there, its words in sim/meson.build (scalar_shapes), and nothing else.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/conductivity.h"
#include "sim/element/symmetric.h"
#include "sim/space.h"
#include SHAPE_HEADER

enum {
  ELEMENT_NODES = SHAPE_NODES,
  ELEMENT_NODE_DATA = SHAPE_DIMENSION + 1,
  ELEMENT_NODE_DOF = 1,
  ELEMENT_DOF = SHAPE_NODES,
  ELEMENT_SUPPLEMENTAL = 1,
  ELEMENT_MATRIX = SHAPE_NODES * (SHAPE_NODES + 1) / 2
};

// J[i][j] = dx_i / dxi_j
HOST_DEVICE void scalar_jacobian(const real *nodal, const real *xi, real J[SHAPE_DIMENSION][SHAPE_DIMENSION]) {
  real dM[SHAPE_MAP_NODES][SHAPE_DIMENSION];
  shape_map_derivatives(xi, dM);
  for (int i = 0; i < SHAPE_DIMENSION; i++)
    for (int j = 0; j < SHAPE_DIMENSION; j++) {
      real sum = 0;
      for (int m = 0; m < SHAPE_MAP_NODES; m++) sum += nodal[shape_map_node(m) * ELEMENT_NODE_DATA + i] * dM[m][j];
      J[i][j] = sum;
    }
}

// C = det J J^-T, row i for the gradient's component i; returns det J
HOST_DEVICE real scalar_cofactors(const real J[SHAPE_DIMENSION][SHAPE_DIMENSION],
                                  real C[SHAPE_DIMENSION][SHAPE_DIMENSION]) {
#ifdef SHAPE_IN_PLANE
  C[0][0] = J[1][1], C[0][1] = -J[1][0], C[1][0] = -J[0][1], C[1][1] = J[0][0];
  return J[0][0] * J[1][1] - J[0][1] * J[1][0];
#else
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      C[i][j] = J[i1][j1] * J[i2][j2] - J[i1][j2] * J[i2][j1];
    }
  return J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2];
#endif
}

/// The load [SHAPE_NODES] and, unless A is NULL, the stiffness [ELEMENT_MATRIX], from nodal data and S. Returns the
/// smallest det J of the points, which must be positive for the rest to mean anything.
HOST_DEVICE real element_evaluate(const real *nodal, const real *S, const ElementParameters *parameters, real *F,
                                  real *A) {
  real smallest = 0;
  for (int a = 0; a < SHAPE_NODES; a++) F[a] = 0;
  for (int v = 0; A && v < ELEMENT_MATRIX; v++) A[v] = 0;
  for (int q = 0; q < SHAPE_POINTS; q++) {
    real xi[SHAPE_DIMENSION], N[SHAPE_NODES], dN[SHAPE_NODES][SHAPE_DIMENSION];
    real J[SHAPE_DIMENSION][SHAPE_DIMENSION], C[SHAPE_DIMENSION][SHAPE_DIMENSION];
    const real weight = shape_point(q, xi);
    scalar_jacobian(nodal, xi, J);
    const real det = scalar_cofactors(J, C);
    shape_values(xi, N);
    real f = 0;
    for (int b = 0; b < SHAPE_NODES; b++) f += N[b] * nodal[b * ELEMENT_NODE_DATA + SHAPE_DIMENSION];
    for (int a = 0; a < SHAPE_NODES; a++) F[a] += parameters->vector_scale * weight * det * f * N[a];
    smallest = q == 0 || !(det >= smallest) ? det : smallest;
    if (!A) continue;
    // B_a det J in place of dN_a
    shape_derivatives(xi, dN);
    for (int a = 0; a < SHAPE_NODES; a++) {
      real B[SHAPE_DIMENSION];
      for (int i = 0; i < SHAPE_DIMENSION; i++) {
        B[i] = 0;
        for (int j = 0; j < SHAPE_DIMENSION; j++) B[i] += C[i][j] * dN[a][j];
      }
      for (int i = 0; i < SHAPE_DIMENSION; i++) dN[a][i] = B[i];
    }
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
