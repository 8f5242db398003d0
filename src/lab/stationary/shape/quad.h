// Quadrilaterals of degree SHAPE_DEGREE, 1 to 4. The reference cell [0, 1]^2 has (degree + 1)^2 equidistant nodes, and
// as many Gauss points. The node in column i and row j has the number i + (degree + 1) j. Shape functions are Lagrange
// polynomials. The four corners map the geometry bilinearly. lab/stationary/element/mapped.h explains the functions
// below.
#pragma once
#include "base/real.h"
#include "device/host_device.h"

enum {
  SHAPE_LINE = SHAPE_DEGREE + 1,  // number of nodes, and of Gauss points, along a direction
  SHAPE_NODES = SHAPE_LINE * SHAPE_LINE,
  SHAPE_DIMENSION = 2,
  SHAPE_POINTS = SHAPE_NODES,
  SHAPE_MAP_NODES = 4
};
#define SHAPE_IN_PLANE

// Returns the coordinate of Gauss point k of the line [0, 1], and sets *weight to its weight.
HOST_DEVICE real quad_line_point(int k, real *weight) {
#if SHAPE_DEGREE == 1
  const real x[2] = { (real)0.21132486540518711775, (real)0.78867513459481288225 };
  const real w[2] = { (real)0.5, (real)0.5 };
#elif SHAPE_DEGREE == 2
  const real x[3] = { (real)0.11270166537925831148, (real)0.5, (real)0.88729833462074168852 };
  const real w[3] = { (real)(5.0 / 18), (real)(4.0 / 9), (real)(5.0 / 18) };
#elif SHAPE_DEGREE == 3
  const real x[4] = { (real)0.06943184420297371239, (real)0.33000947820757186760, (real)0.66999052179242813240,
                      (real)0.93056815579702628761 };
  const real w[4] = { (real)0.17392742256872692869, (real)0.32607257743127307131, (real)0.32607257743127307131,
                      (real)0.17392742256872692869 };
#else
  const real x[5] = { (real)0.04691007703066800360, (real)0.23076534494715845448, (real)0.5,
                      (real)0.76923465505284154552, (real)0.95308992296933199640 };
  const real w[5] = { (real)0.11846344252809454376, (real)0.23931433524968323402, (real)(64.0 / 225),
                      (real)0.23931433524968323402, (real)0.11846344252809454376 };
#endif
  *weight = w[k];
  return x[k];
}

HOST_DEVICE real shape_point(int q, real xi[SHAPE_DIMENSION]) {
  real w[2];
  xi[0] = quad_line_point(q % SHAPE_LINE, &w[0]);
  xi[1] = quad_line_point(q / SHAPE_LINE, &w[1]);
  return w[0] * w[1];
}

// quad_line_value returns the Lagrange polynomial of node `a` of the line [0, 1] at x, and quad_line_slope its
// derivative. The polynomial is 1 at node `a` and 0 at the other nodes.
HOST_DEVICE real quad_line_value(int a, real x) {
  real value = 1;
  for (int b = 0; b < SHAPE_LINE; b++)
    if (b != a) value *= (SHAPE_DEGREE * x - b) / (a - b);
  return value;
}

HOST_DEVICE real quad_line_slope(int a, real x) {
  real value = 1, slope = 0;
  for (int b = 0; b < SHAPE_LINE; b++) {
    if (b == a) continue;
    const real factor = (SHAPE_DEGREE * x - b) / (a - b);
    slope = slope * factor + value * ((real)SHAPE_DEGREE / (a - b));
    value *= factor;
  }
  return slope;
}

HOST_DEVICE void shape_values(const real *xi, real N[SHAPE_NODES]) {
  for (int j = 0; j < SHAPE_LINE; j++)
    for (int i = 0; i < SHAPE_LINE; i++) N[i + SHAPE_LINE * j] = quad_line_value(i, xi[0]) * quad_line_value(j, xi[1]);
}

HOST_DEVICE void shape_derivatives(const real *xi, real dN[SHAPE_NODES][SHAPE_DIMENSION]) {
  for (int j = 0; j < SHAPE_LINE; j++)
    for (int i = 0; i < SHAPE_LINE; i++) {
      dN[i + SHAPE_LINE * j][0] = quad_line_slope(i, xi[0]) * quad_line_value(j, xi[1]);
      dN[i + SHAPE_LINE * j][1] = quad_line_value(i, xi[0]) * quad_line_slope(j, xi[1]);
    }
}

HOST_DEVICE int shape_map_node(int m) {
  return (m % 2) * SHAPE_DEGREE + (m / 2) * SHAPE_DEGREE * SHAPE_LINE;
}

HOST_DEVICE void shape_map_derivatives(const real *xi, real dM[SHAPE_MAP_NODES][SHAPE_DIMENSION]) {
  dM[0][0] = xi[1] - 1;
  dM[0][1] = xi[0] - 1;
  dM[1][0] = 1 - xi[1];
  dM[1][1] = -xi[0];
  dM[2][0] = -xi[1];
  dM[2][1] = 1 - xi[0];
  dM[3][0] = xi[1];
  dM[3][1] = xi[0];
}
