// The map from a reference cell, such as the square [0, 1]^2, to a cell of the mesh. A point xi of the reference cell
// becomes
//   x = sum over the corners m of M_m(xi) X_m
// X_m is the position of corner m, and the function M_m is 1 at corner m and 0 at the others. This header computes the
// Jacobian matrix J of the map, and gradients of the cell's shape functions N. Arrays named dN hold derivatives of N by
// xi.
//
// A mapped shape (lab/stationary/shape/tri3.h, quad.h) is a header, named by the macro SHAPE_HEADER. It defines the
// following; functions are HOST_DEVICE and compute in `real`:
//   SHAPE_NODES                     number of nodes of a cell; nodes are in the order of mesh/cell_shape.h
//   SHAPE_DIMENSION                 2 for cells in the plane, 3 for cells in space
//   SHAPE_IN_PLANE                  a macro, defined if the dimension is 2
//   SHAPE_POINTS                    number of integration points, enough for products of two shape functions
//   SHAPE_MAP_NODES                 number of corners, by which the geometry is mapped
//   shape_point(q, xi [DIMENSION])             reference coordinates of point q; returns its weight. The weights add
//                                               up to the volume of the reference cell
//   shape_values(xi, N [NODES])                shape functions at xi
//   shape_derivatives(xi, dN [NODES][DIMENSION])           their derivatives by xi
//   shape_map_node(m)                          the cell's node that is corner m
//   shape_map_derivatives(xi, dM [MAP_NODES][DIMENSION])   derivatives by xi of the functions M_m
// mesh/cell_shape.h describes these cells at run time, and tests compare the headers with it. A new shape needs a
// CellShape in that file, a row in lab/elements.def, and a row in stationary_elements (stationary.c).
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include SHAPE_HEADER

// Computes the Jacobian matrix J[i][j] = dx_i / dxi_j at xi. `nodal` has node_data numbers for each node, of which the
// first two or three are its position.
HOST_DEVICE void mapped_jacobian(const real *nodal, int node_data, const real *xi,
                                 real J[SHAPE_DIMENSION][SHAPE_DIMENSION]) {
  real dM[SHAPE_MAP_NODES][SHAPE_DIMENSION];
  shape_map_derivatives(xi, dM);
  for (int i = 0; i < SHAPE_DIMENSION; i++)
    for (int j = 0; j < SHAPE_DIMENSION; j++) {
      real sum = 0;
      for (int m = 0; m < SHAPE_MAP_NODES; m++) sum += nodal[shape_map_node(m) * node_data + i] * dM[m][j];
      J[i][j] = sum;
    }
}

// Computes the matrix C = det J J^-T and returns det J. If C is multiplied by the derivatives of a function by xi, the
// result is det J times the function's gradient by x.
HOST_DEVICE real mapped_cofactors(const real J[SHAPE_DIMENSION][SHAPE_DIMENSION],
                                  real C[SHAPE_DIMENSION][SHAPE_DIMENSION]) {
#ifdef SHAPE_IN_PLANE
  C[0][0] = J[1][1];
  C[0][1] = -J[1][0];
  C[1][0] = -J[0][1];
  C[1][1] = J[0][0];
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

// Replaces the derivatives of the shape functions by xi, in dN, by det J times their gradients by x. C is the matrix
// det J J^-T of mapped_cofactors.
HOST_DEVICE void mapped_gradients(const real C[SHAPE_DIMENSION][SHAPE_DIMENSION],
                                  real dN[SHAPE_NODES][SHAPE_DIMENSION]) {
  for (int a = 0; a < SHAPE_NODES; a++) {
    real B[SHAPE_DIMENSION];
    for (int i = 0; i < SHAPE_DIMENSION; i++) {
      B[i] = 0;
      for (int j = 0; j < SHAPE_DIMENSION; j++) B[i] += C[i][j] * dN[a][j];
    }
    for (int i = 0; i < SHAPE_DIMENSION; i++) dN[a][i] = B[i];
  }
}
