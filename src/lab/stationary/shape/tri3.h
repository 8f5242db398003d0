// The triangle of three nodes. The reference coordinates xi are the barycentric coordinates of the first two nodes.
// Three integration points, the middles of the edges, are exact for products of two shape functions.
// lab/stationary/element/mapped.h explains the functions below.
#pragma once
#include "base/real.h"
#include "device/host_device.h"

enum { SHAPE_NODES = 3, SHAPE_DIMENSION = 2, SHAPE_POINTS = 3, SHAPE_MAP_NODES = 3 };
#define SHAPE_IN_PLANE

HOST_DEVICE real shape_point(int q, real xi[SHAPE_DIMENSION]) {
  xi[0] = q == 1 ? (real)0 : (real)0.5;
  xi[1] = q == 2 ? (real)0 : (real)0.5;
  return (real)1 / 6;
}

HOST_DEVICE void shape_values(const real *xi, real N[SHAPE_NODES]) {
  N[0] = xi[0];
  N[1] = xi[1];
  N[2] = 1 - xi[0] - xi[1];
}

HOST_DEVICE void shape_derivatives(const real *xi, real dN[SHAPE_NODES][SHAPE_DIMENSION]) {
  (void)xi;
  dN[0][0] = 1;
  dN[0][1] = 0;
  dN[1][0] = 0;
  dN[1][1] = 1;
  dN[2][0] = -1;
  dN[2][1] = -1;
}

HOST_DEVICE int shape_map_node(int m) {
  return m;
}

HOST_DEVICE void shape_map_derivatives(const real *xi, real dM[SHAPE_MAP_NODES][SHAPE_DIMENSION]) {
  shape_derivatives(xi, dM);
}
