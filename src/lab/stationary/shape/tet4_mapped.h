// The tetrahedron of four nodes with one unknown per node. The reference coordinates xi are the barycentric coordinates
// of the first three nodes. Four integration points are exact for products of two shape functions.
// lab/stationary/element/mapped.h explains the functions below.
#pragma once
#include "base/real.h"
#include "device/host_device.h"

enum { SHAPE_NODES = 4, SHAPE_DIMENSION = 3, SHAPE_POINTS = 4, SHAPE_MAP_NODES = 4 };

HOST_DEVICE real shape_point(int q, real xi[SHAPE_DIMENSION]) {
  // Coordinate q of integration point q is (5 + 3 sqrt 5)/20; its other coordinates are (5 - sqrt 5)/20.
  for (int i = 0; i < 3; i++) xi[i] = i == q ? (real)0.58541019662496845446 : (real)0.13819660112501051518;
  return (real)1 / 24;
}

HOST_DEVICE void shape_values(const real *xi, real N[SHAPE_NODES]) {
  N[0] = xi[0];
  N[1] = xi[1];
  N[2] = xi[2];
  N[3] = 1 - xi[0] - xi[1] - xi[2];
}

HOST_DEVICE void shape_derivatives(const real *xi, real dN[SHAPE_NODES][SHAPE_DIMENSION]) {
  (void)xi;
  for (int a = 0; a < SHAPE_NODES; a++)
    for (int i = 0; i < 3; i++) dN[a][i] = a == i ? (real)1 : a == 3 ? (real)-1 : (real)0;
}

HOST_DEVICE int shape_map_node(int m) {
  return m;
}

HOST_DEVICE void shape_map_derivatives(const real *xi, real dM[SHAPE_MAP_NODES][SHAPE_DIMENSION]) {
  shape_derivatives(xi, dM);
}
