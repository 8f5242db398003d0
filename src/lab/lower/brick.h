// Element matrices of one trilinear hexahedron (a brick): the stiffness matrix K of the operator -div(c grad u) with
// conductivity c (paper 002, Eqs. 7 to 9), and the mass matrix M. K is 8 x 8 and symmetric; the 36 entries of its lower
// triangle are computed. With 2 x 2 x 2 Gauss points of weight 1/8,
//   K_ab = sum over the 8 points of c/8 det J grad N_a . grad N_b
// N_a is the shape function of node a, and J the matrix dX/dxi of positions X by reference coordinates xi. Let D_i N_a
// be the derivative of N_a by xi_i, C_i row i of the matrix det J J^-T, and g_ij = c/8 C_i . C_j / det J. Then
//   K_ab = sum over the points and the axes i, j of g_ij D_i N_a D_j N_b
// D_i N_a is a product of three functions of one coordinate each (element/shape/hex8.h). So sums over the points are
// computed axis by axis, and all pairs (a, b) use these partial sums. This takes 1,500 operations per cell; separate
// sums for each pair take 4,400.
//
// Consistent mass matrix M of the brick with density c: M_ab is the integral of c N_a N_b. N_a N_b det J is a
// polynomial of degree 4 in each coordinate, so 3 x 3 x 3 Gauss points integrate it without error. A product N_a N_b
// depends only on the sums of the coordinates of nodes a and b (0, 1 or 2 along each axis), so M has 27 different
// entries at most.
#pragma once
#include <math.h>

#include "sim/element/shape/hex8.h"

enum { BRICK_NODES = SHAPE_NODES, BRICK_DATA = SHAPE_SUPPLEMENTAL, BRICK_ENTRIES = 36 };

#ifdef __CUDA_ARCH__
#define BRICK_UNROLL _Pragma("unroll")
#else
#define BRICK_UNROLL _Pragma("GCC unroll 27")
#endif

// Corner (x, y, z) of the reference cell [0, 1]^3 is node number x + 2 y + 4 z. For example, node 5 is at (1, 0, 1).
// BRICK_BIT(a, i) is coordinate i of node a. BRICK_SIGN is 1 for two equal coordinates and -1 for two different ones.
#define BRICK_NODE(x, y, z) ((x) + 2 * (y) + 4 * (z))
#define BRICK_BIT(a, i) ((a) >> (i)&1)
#define BRICK_SIGN(a, b) ((a) == (b) ? 1 : -1)

// Interpolates a function that is linear on [0, 1], with the value `low` at 0 and `high` at 1. at[0] and at[1] get its
// values at the two Gauss points of [0, 1].
HOST_DEVICE void brick_line(real low, real high, real at[2]) {
  const real far = (real)0.21132486540518711775;  // coordinate of the first Gauss point, (3 - sqrt 3)/6
  const real step = far * (high - low);
  at[0] = low + step;
  at[1] = high - step;
}

// Computes the derivative dX_k/dxi_i of position component k by reference coordinate i, at the Gauss points. X is
// linear in xi_i, so the derivative depends only on the other two coordinates. slope[u][v] is its value at Gauss point
// u along the first of the other two axes and Gauss point v along the second. For i = 1 these are the axes 0 and 2.
HOST_DEVICE void brick_slope(const real X[BRICK_NODES][3], int i, int k, real slope[2][2]) {
  real edge[2][2], half[2][2];

  // clang-format off
  BRICK_UNROLL
  for (int v = 0; v < 2; v++)
    BRICK_UNROLL
    for (int u = 0; u < 2; u++) {
      const int low = i == 0 ? BRICK_NODE(0, u, v) : i == 1 ? BRICK_NODE(u, 0, v) : BRICK_NODE(u, v, 0);
      const int high = i == 0 ? BRICK_NODE(1, u, v) : i == 1 ? BRICK_NODE(u, 1, v) : BRICK_NODE(u, v, 1);
      edge[u][v] = X[high][k] - X[low][k];
    }

  // clang-format on
  BRICK_UNROLL
  for (int u = 0; u < 2; u++) brick_line(edge[u][0], edge[u][1], half[u]);
  BRICK_UNROLL
  for (int v = 0; v < 2; v++) {
    real at[2];
    brick_line(half[0][v], half[1][v], at);
    slope[0][v] = at[0];
    slope[1][v] = at[1];
  }
}

// Values of a linear shape function at the two Gauss points of an edge. The function is 1 at one end of the edge and 0
// at the other. BRICK_NEAR is its value at the Gauss point nearer to the end with 1, and BRICK_FAR its value at the
// other point.
#define BRICK_NEAR ((real)0.78867513459481288225)
#define BRICK_FAR ((real)0.21132486540518711775)

// Computes the coefficients g_ij = c/8 C_i . C_j / det J at the eight Gauss points (top of this file), and returns the
// smallest det J. c is the conductivity, and C_i is row i of the matrix det J J^-T. S are the cell's constants. pure[i]
// gets g_ii, summed over the two points along axis i, for each of the 2 x 2 points of the other axes. cross[0],
// cross[1] and cross[2] get g_12, g_02 and g_01 at each Gauss point [x][y][z], where x, y and z are 0 or 1.
HOST_DEVICE real brick_points(const real *S, real conductivity, real pure[3][2][2], real cross[3][2][2][2]) {
  real slope[3][3][2][2];  // slope[i][k]: dX_k/dxi_i, position component k by reference coordinate i
  real smallest = 0;

  // clang-format off
  real X[BRICK_NODES][3];
  BRICK_UNROLL
  for (int a = 0; a < BRICK_NODES; a++)
    BRICK_UNROLL
    for (int k = 0; k < 3; k++) X[a][k] = a ? S[3 * (a - 1) + k] : (real)0;
  const real scale = conductivity * shape_stiffness(S) / 8;
  BRICK_UNROLL
  for (int i = 0; i < 3; i++)
    BRICK_UNROLL
    for (int k = 0; k < 3; k++) brick_slope(X, i, k, slope[i][k]);
  BRICK_UNROLL
  for (int q = 0; q < 8; q++) {
    const int x = q & 1, y = (q >> 1) & 1, z = q >> 2;
    real J[3][3], C[3][3];
    BRICK_UNROLL
    for (int k = 0; k < 3; k++)
      { J[0][k] = slope[0][k][y][z]; J[1][k] = slope[1][k][x][z]; J[2][k] = slope[2][k][x][y]; }
    BRICK_UNROLL
    for (int i = 0; i < 3; i++)
      BRICK_UNROLL
      for (int k = 0; k < 3; k++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        C[i][k] = J[i1][k1] * J[i2][k2] - J[i1][k2] * J[i2][k1];
      }
    const real det = J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2];
    const real factor = scale / det;
    smallest = q == 0 || det < smallest || det != det ? det : smallest;
    BRICK_UNROLL
    for (int i = 0; i < 3; i++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      const real own = factor * (C[i][0] * C[i][0] + C[i][1] * C[i][1] + C[i][2] * C[i][2]);
      real *sum = i == 0 ? &pure[0][y][z] : i == 1 ? &pure[1][x][z] : &pure[2][x][y];
      const int bit = i == 0 ? x : i == 1 ? y : z;
      *sum = bit == 0 ? own : *sum + own;
      cross[i][x][y][z] = factor * (C[i1][0] * C[i2][0] + C[i1][1] * C[i2][1] + C[i1][2] * C[i2][2]);
    }
  }

  // clang-format on
  return smallest;
}

// Computes A[i][s][t] for each axis i, which is, up to its sign, the part of K_ab with the coefficient g_ii. This part
// is the sum over the Gauss points of g_ii D_i N_a D_i N_b, where D_i N_a is the derivative of node a's shape function
// along axis i. pure[i] is g_ii from brick_points. The sum depends on a and b only by two numbers s and t. s is the sum
// of the coordinates of nodes a and b (0 or 1 each) along the lower-numbered axis other than i, and t along the
// higher-numbered one. Nodes 0 = (0, 0, 0) and 7 = (1, 1, 1) have s = t = 1 for each axis.
HOST_DEVICE void brick_pure(real pure[3][2][2], real A[3][3][3]) {
  const real both = BRICK_NEAR * BRICK_NEAR, mixed = BRICK_NEAR * BRICK_FAR, other = BRICK_FAR * BRICK_FAR;

  // clang-format off
  BRICK_UNROLL
  for (int i = 0; i < 3; i++) {
    real half[3][2];
    BRICK_UNROLL
    for (int v = 0; v < 2; v++) {
      const real low = pure[i][0][v], high = pure[i][1][v];
      half[0][v] = both * low + other * high;
      half[1][v] = mixed * (low + high);
      half[2][v] = other * low + both * high;
    }
    BRICK_UNROLL
    for (int s = 0; s < 3; s++) {
      const real low = half[s][0], high = half[s][1];
      A[i][s][0] = both * low + other * high;
      A[i][s][1] = mixed * (low + high);
      A[i][s][2] = other * low + both * high;
    }
  }
  // clang-format on
}

// Computes M[i][u][v][t] for each axis i, which is, up to its sign, one of the two terms of K_ab with the coefficient
// g_jk. Here j = i + 1 and k = i + 2 modulo 3 are the other two axes, and cross[i] is g_jk from brick_points. The term
// is the sum over the eight Gauss points of cross[i] times four linear functions:
//   along j: the function of one node, whose coordinate is u (0 or 1)
//   along k: the function of the other node, whose coordinate is v
//   along i: the functions of both nodes, whose coordinates have the sum t (0, 1 or 2)
HOST_DEVICE void brick_cross(real cross[3][2][2][2], real M[3][2][2][3]) {
  const real near = BRICK_NEAR, far = BRICK_FAR;
  const real both = near * near, mixed = near * far, other = far * far;

  // clang-format off
  BRICK_UNROLL
  for (int i = 0; i < 3; i++) {
    real along[3][2][2];  // cross[i] summed over the points along i: [t][point along j][point along k]
    BRICK_UNROLL
    for (int j = 0; j < 2; j++)
      BRICK_UNROLL
      for (int k = 0; k < 2; k++) {
        const real low = i == 0 ? cross[0][0][j][k] : i == 1 ? cross[1][k][0][j] : cross[2][j][k][0];
        const real high = i == 0 ? cross[0][1][j][k] : i == 1 ? cross[1][k][1][j] : cross[2][j][k][1];
        along[0][j][k] = both * low + other * high;
        along[1][j][k] = mixed * (low + high);
        along[2][j][k] = other * low + both * high;
      }
    BRICK_UNROLL
    for (int t = 0; t < 3; t++) {
      real half[2][2];
      BRICK_UNROLL
      for (int k = 0; k < 2; k++) {
        half[0][k] = near * along[t][0][k] + far * along[t][1][k];
        half[1][k] = far * along[t][0][k] + near * along[t][1][k];
      }
      BRICK_UNROLL
      for (int u = 0; u < 2; u++) {
        M[i][u][0][t] = near * half[u][0] + far * half[u][1];
        M[i][u][1][t] = far * half[u][0] + near * half[u][1];
      }
    }
  }
  // clang-format on
}

/// Computes K [36], the lower triangle of the element matrix by rows: K[a (a + 1)/2 + b] is K_ab for b <= a. S
/// [BRICK_DATA] are the positions of nodes 1 to 7 relative to node 0 and a factor on `conductivity`
/// (element/shape/hex8.h). Returns the smallest det J of the eight points. If it is not positive (or NaN), the cell is
/// inverted.
HOST_DEVICE real brick_matrix(const real *S, real conductivity, real K[BRICK_ENTRIES]) {
  real pure[3][2][2], cross[3][2][2][2], A[3][3][3], M[3][2][2][3];
  const real smallest = brick_points(S, conductivity, pure, cross);
  brick_pure(pure, A);
  brick_cross(cross, M);

  // clang-format off
  BRICK_UNROLL
  for (int a = 0; a < BRICK_NODES; a++)
    BRICK_UNROLL
    for (int b = 0; b <= a; b++) {
      real sum = 0;
      BRICK_UNROLL
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const int s = BRICK_BIT(a, i == 0 ? 1 : 0) + BRICK_BIT(b, i == 0 ? 1 : 0);
        const int t = BRICK_BIT(a, i == 2 ? 1 : 2) + BRICK_BIT(b, i == 2 ? 1 : 2);
        const int own = BRICK_BIT(a, i) + BRICK_BIT(b, i);
        const int aj = BRICK_BIT(a, j), bj = BRICK_BIT(b, j), ak = BRICK_BIT(a, k), bk = BRICK_BIT(b, k);
        sum += BRICK_SIGN(BRICK_BIT(a, i), BRICK_BIT(b, i)) * A[i][s][t];

        // Add the two terms of K_ab with the coefficient g_jk (head of this file). They are the sums of g_jk D_j N_a
        // D_k N_b and of g_jk D_k N_a D_j N_b over the Gauss points, with D_j N_a = dN_a / dxi_j.
        sum += BRICK_SIGN(aj, bk) * M[i][bj][ak][own] + BRICK_SIGN(ak, bj) * M[i][aj][bk][own];
      }
      K[a * (a + 1) / 2 + b] = sum;
    }

  // clang-format on
  return smallest;
}

// Computes the products of two linear functions on [0, 1] at Gauss point k of three: product[s] for two functions whose
// nodes have coordinates with the sum s. Returns the coordinate of the point; *weight gets its weight.
HOST_DEVICE real brick_mass_line(int k, real product[3], real *weight) {
  const real far = (real)0.88729833462074168852;  // (1 + sqrt(3/5))/2
  const real x = k == 0 ? 1 - far : k == 1 ? (real)0.5 : far;
  product[0] = (1 - x) * (1 - x);
  product[1] = (1 - x) * x;
  product[2] = x * x;
  *weight = k == 1 ? (real)(4.0 / 9) : (real)(5.0 / 18);
  return x;
}

// Interpolates, component by component, a vector that is linear on [0, 1] and has the values `low` and `high` at its
// ends: at = low + x (high - low).
HOST_DEVICE void brick_between(const real low[3], const real high[3], real x, real at[3]) {
  BRICK_UNROLL
  for (int i = 0; i < 3; i++) at[i] = low[i] + x * (high[i] - low[i]);
}

HOST_DEVICE real brick_triple_product(const real a[3], const real b[3], const real c[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// Computes plane[s][t], an integral over the plane xi_2 = z of the cell. The integrand is det J times two linear
// functions of xi_0 and two of xi_1. The nodes of the functions have the sums of coordinates s and t. Updates
// *smallest, the smallest det J. X are the positions of the nodes.
HOST_DEVICE void brick_mass_plane(const real X[BRICK_NODES][3], real z, real plane[3][3], real *smallest) {
  // P: positions of the plane's corners. D: derivatives dX/dxi_2 there. x, y: differences of P along the two axes.
  real P[4][3], D[4][3], x_low[3], x_high[3], y_low[3], y_high[3];

  // clang-format off
  BRICK_UNROLL
  for (int a = 0; a < 4; a++) {
    brick_between(X[a], X[a + 4], z, P[a]);
    BRICK_UNROLL
    for (int i = 0; i < 3; i++) D[a][i] = X[a + 4][i] - X[a][i];
  }

  BRICK_UNROLL
  for (int i = 0; i < 3; i++) {
    x_low[i] = P[1][i] - P[0][i];
    x_high[i] = P[3][i] - P[2][i];
    y_low[i] = P[2][i] - P[0][i];
    y_high[i] = P[3][i] - P[1][i];
  }

  BRICK_UNROLL
  for (int v = 0; v < 9; v++) plane[v / 3][v % 3] = 0;
  for (int q = 0; q < 3; q++) {
    real J0[3], left[3], right[3], along_y[3], weight_y, line[3] = { 0 };
    const real y = brick_mass_line(q, along_y, &weight_y);
    brick_between(x_low, x_high, y, J0);
    brick_between(D[0], D[2], y, left);
    brick_between(D[1], D[3], y, right);
    for (int r = 0; r < 3; r++) {
      real J1[3], J2[3], along_x[3], weight_x;
      const real x = brick_mass_line(r, along_x, &weight_x);
      brick_between(y_low, y_high, x, J1);
      brick_between(left, right, x, J2);
      const real det = brick_triple_product(J0, J1, J2);
      *smallest = det < *smallest || det != det ? det : *smallest;
      BRICK_UNROLL
      for (int s = 0; s < 3; s++) line[s] += weight_x * det * along_x[s];
    }
    BRICK_UNROLL
    for (int s = 0; s < 3; s++)
      BRICK_UNROLL
      for (int t = 0; t < 3; t++) plane[s][t] += weight_y * line[s] * along_y[t];
  }
  // clang-format on
}

/// Computes M [36], the lower triangle of the consistent mass matrix, in the order of brick_matrix. S [BRICK_DATA] are
/// as there; its last number is the cell's factor on `density`. Returns the smallest det J of the 27 points. If it is
/// not positive (or NaN), the cell is inverted.
HOST_DEVICE real brick_mass(const real *S, real density, real M[BRICK_ENTRIES]) {
  real X[BRICK_NODES][3], T[3][3][3];  // T: entries of M by the sums of the coordinates of both nodes
  real smallest = (real)INFINITY;
  const real scale = density * shape_stiffness(S);

  // clang-format off
  BRICK_UNROLL
  for (int a = 0; a < BRICK_NODES; a++)
    BRICK_UNROLL
    for (int k = 0; k < 3; k++) X[a][k] = a ? S[3 * (a - 1) + k] : (real)0;
  BRICK_UNROLL
  for (int v = 0; v < 27; v++) T[v / 9][v / 3 % 3][v % 3] = 0;
  for (int q = 0; q < 3; q++) {
    real along_z[3], plane[3][3], weight;
    const real z = brick_mass_line(q, along_z, &weight);
    brick_mass_plane(X, z, plane, &smallest);
    BRICK_UNROLL
    for (int v = 0; v < 9; v++)
      BRICK_UNROLL
      for (int k = 0; k < 3; k++) T[v / 3][v % 3][k] += scale * weight * plane[v / 3][v % 3] * along_z[k];
  }

  BRICK_UNROLL
  for (int a = 0; a < BRICK_NODES; a++)
    BRICK_UNROLL
    for (int b = 0; b <= a; b++)
      M[a * (a + 1) / 2 + b] = T[BRICK_BIT(a, 0) + BRICK_BIT(b, 0)][BRICK_BIT(a, 1) + BRICK_BIT(b, 1)]
                                [BRICK_BIT(a, 2) + BRICK_BIT(b, 2)];

  // clang-format on
  return smallest;
}
