// The discrete Kirchhoff triangle for plates (Batoz, Bathe and Ho, 1980), valid on any mesh. Its slopes g = (w_x, w_y)
// are quadratic in the triangle and equal the unknowns w_x and w_y at the corners. Let e be the edge vector from corner
// i to corner j, w_i and g_i the unknowns of corner i, and l_c the barycentric coordinate of corner c. Along an edge, w
// is the cubic polynomial given by w and its slope at both ends. Its slope is the slope along e at the middle of the
// edge. The slope across e is there the mean of the slopes at both ends:
//    g(middle) = (g_i + g_j)/2 + D,  D = e / |e|^2 (3/2 (w_j - w_i) - 3/4 e.(g_i + g_j))
//    g = sum over corners c of l_c g_c + sum over edges of 4 l_i l_j D
// So curvatures are linear, and three points, the middles of the edges, integrate the stiffness exactly. Loads are
// computed as if w were linear in the triangle. lab/stationary/element/plate.h explains the functions below.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/space.h"

enum { SHAPE_NODES = 3, SHAPE_POINTS = 3, SHAPE_SUPPLEMENTAL = 1 };

// Computes b[c], the gradient of corner c's barycentric coordinate. Returns twice the area of the triangle.
HOST_DEVICE real triangle_gradients(const real *nodal, real b[3][2]) {
  const real ux = nodal[0] - nodal[6], uy = nodal[1] - nodal[7], vx = nodal[3] - nodal[6], vy = nodal[4] - nodal[7];
  const real area2 = ux * vy - uy * vx;
  b[0][0] = vy / area2;
  b[0][1] = -vx / area2;
  b[1][0] = -uy / area2;
  b[1][1] = ux / area2;
  b[2][0] = -b[0][0] - b[1][0];
  b[2][1] = -b[0][1] - b[1][1];
  return area2;
}

HOST_DEVICE real plate_curvatures(const real *nodal, const real *S, int q, real B[3][3 * SHAPE_NODES]) {
  (void)S;
  real b[3][2];
  const real area2 = triangle_gradients(nodal, b);
  for (int c = 0; c < 3; c++) {
    B[0][3 * c] = B[1][3 * c] = B[2][3 * c] = 0;
    B[0][3 * c + 1] = b[c][0];
    B[1][3 * c + 1] = 0;
    B[2][3 * c + 1] = b[c][1];
    B[0][3 * c + 2] = 0;
    B[1][3 * c + 2] = b[c][1];
    B[2][3 * c + 2] = b[c][0];
  }

  for (int k = 0; k < 3; k++) {  // the edge from i to j, opposite to corner k
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const real li = i == q ? (real)0 : (real)0.5, lj = j == q ? (real)0 : (real)0.5;
    const real e[2] = { nodal[3 * j] - nodal[3 * i], nodal[3 * j + 1] - nodal[3 * i + 1] };
    const real length2 = e[0] * e[0] + e[1] * e[1];
    const real dx = 4 * (b[i][0] * lj + li * b[j][0]), dy = 4 * (b[i][1] * lj + li * b[j][1]);

    // The slopes (w_x, w_y) have the part 4 l_i l_j D from this edge (top of this file). l are barycentric coordinates,
    // and D is e / |e|^2 times a number that depends on the unknowns of corners i and j. `curved` holds the curvatures
    // (xx, yy, 2 xy) of 4 l_i l_j e / |e|^2. They are multiplied by that number below.
    const real xx = dx * e[0] / length2, yy = dy * e[1] / length2, xy = (dy * e[0] + dx * e[1]) / length2;
    const real curved[3] = { xx, yy, xy };
    for (int v = 0; v < 3; v++) {
      B[v][3 * j] += (real)1.5 * curved[v];
      B[v][3 * i] -= (real)1.5 * curved[v];
      for (int m = 0; m < 2; m++) {
        B[v][3 * i + 1 + m] -= (real)0.75 * e[m] * curved[v];
        B[v][3 * j + 1 + m] -= (real)0.75 * e[m] * curved[v];
      }
    }
  }
  return area2 / 6;
}

HOST_DEVICE void plate_load(const real *nodal, const real *S, real F[3 * SHAPE_NODES]) {
  (void)S;
  real b[3][2];
  const real area2 = triangle_gradients(nodal, b), all = nodal[2] + nodal[5] + nodal[8];
  for (int c = 0; c < 3; c++) {
    F[3 * c] = area2 / 24 * (all + nodal[3 * c + 2]);
    F[3 * c + 1] = F[3 * c + 2] = 0;
  }
}

HOST_DEVICE real plate_soundness(const real *nodal, const real *S) {
  (void)S;
  real b[3][2];
  return triangle_gradients(nodal, b);
}

static inline void plate_supplemental(const Space *space, int e, real *S) {
  S[0] = (real)(space->stiffness ? space->stiffness[e] : 1);
}
