// Evaluates Bernstein-Bezier polynomials on a tet, and integrates products of them in closed form: see bernstein.h.
#include "lab/simplex/bernstein.h"

#include <math.h>

#include "lab/simplex/simplex_nodes.h"

void bernstein_index(int degree, int local, int index[4]) {
  for (int v = 0; v < 4; v++) index[v] = 0;
  const int on_edge = degree - 1;
  if (local < 4) {
    index[local] = degree;
  } else if (local < 4 + 6 * on_edge) {
    const int edge = (local - 4) / on_edge, which = (local - 4) % on_edge;
    index[edge_corner(edge, 0)] = degree - 1 - which;
    index[edge_corner(edge, 1)] = which + 1;
  } else {
    for (int k = 0; k < 3; k++) index[face_corner(local - 4 - 6 * on_edge, k)] = 1;
  }
}

double bernstein_product(int degree, const int alpha[4], const int beta[4]) {
  double product = 1;
  for (int v = 0; v < 4; v++) {
    if (alpha[v] < 0 || beta[v] < 0) return 0;
    product *= choose(alpha[v] + beta[v], alpha[v]);
  }
  return product / (choose(2 * degree, degree) * (double)choose(2 * degree + 3, 3));
}

static double power(double x, int n) {
  double y = 1;
  for (int k = 0; k < n; k++) y *= x;
  return y;
}

void bernstein_values(int degree, const double xi[4], double *values, double (*slopes)[4]) {
  for (int local = 0; local < simplex_cell_nodes(degree); local++) {
    int index[4];
    bernstein_index(degree, local, index);
    double many = 1;  // the factor degree! / (I_0! I_1! I_2! I_3!) of B_I
    for (int v = 0, left = degree; v < 4; left -= index[v++]) many *= choose(left, index[v]);
    double value = many;
    for (int v = 0; v < 4; v++) value *= power(xi[v], index[v]);
    if (values) values[local] = value;
    for (int v = 0; slopes && v < 4; v++) {
      double slope = index[v] > 0 ? many * index[v] : 0;
      for (int w = 0; w < 4; w++) slope *= power(xi[w], index[w] - (w == v));
      slopes[local][v] = slope;
    }
  }
}

void bernstein_weights(int degree, double *weight) {
  const int nodes = simplex_cell_nodes(degree), pairs = nodes * (nodes + 1) / 2;
  for (int I = 0, pair = 0; I < nodes; I++)
    for (int J = I; J < nodes; J++, pair++) {
      int alpha[4], beta[4];
      bernstein_index(degree, I, alpha);
      bernstein_index(degree, J, beta);

      // The derivative of B_I by xi_v is degree times the polynomial whose index is I with entry v reduced by 1. So
      // reduce these entries of both indices, and restore them afterwards.
      for (int v = 0; v < 4; v++)
        for (int w = 0; w < 4; w++) {
          alpha[v]--;
          beta[w]--;
          weight[(4 * v + w) * pairs + pair] = degree * degree * bernstein_product(degree - 1, alpha, beta);
          alpha[v]++;
          beta[w]++;
        }
    }
}

// Inverts M [n][n] by Gauss-Jordan elimination with pivoting. M is overwritten.
static void invert(int n, double M[SIMPLEX_CELL_NODES_MAX][SIMPLEX_CELL_NODES_MAX],
                   double inverse[SIMPLEX_CELL_NODES_MAX][SIMPLEX_CELL_NODES_MAX]) {
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) inverse[r][c] = r == c;
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(M[r][c]) > fabs(M[pivot][c])) pivot = r;
    for (int k = 0; k < n; k++) {
      const double m = M[c][k], i = inverse[c][k];
      M[c][k] = M[pivot][k];
      M[pivot][k] = m;
      inverse[c][k] = inverse[pivot][k];
      inverse[pivot][k] = i;
    }
    const double scale = 1 / M[c][c];
    for (int k = 0; k < n; k++) {
      M[c][k] *= scale;
      inverse[c][k] *= scale;
    }
    for (int r = 0; r < n; r++) {
      const double factor = r == c ? 0 : M[r][c];
      for (int k = 0; k < n; k++) {
        M[r][k] -= factor * M[c][k];
        inverse[r][k] -= factor * inverse[c][k];
      }
    }
  }
}

void lagrange_weights(int degree, double *weight) {
  enum { N = SIMPLEX_CELL_NODES_MAX };
  const int nodes = simplex_cell_nodes(degree), pairs = nodes * (nodes + 1) / 2;
  double values[N][N], T[N][N], K[N][N], KT[N][N], own[16 * N * (N + 1) / 2];

  // L_J = sum over the nodes K of T[K][J] B_K, where T is the inverse of the matrix of values B_K(node I)
  for (int I = 0; I < nodes; I++) {
    int index[4];
    double xi[4];
    bernstein_index(degree, I, index);
    for (int v = 0; v < 4; v++) xi[v] = (double)index[v] / degree;
    bernstein_values(degree, xi, values[I], NULL);
  }

  invert(nodes, values, T);
  bernstein_weights(degree, own);
  for (int v = 0; v < 4; v++)
    for (int w = 0; w < 4; w++) {
      // The weights of a pair (I, J) with I > J are those of (J, I) with v and w exchanged.
      for (int I = 0, pair = 0; I < nodes; I++)
        for (int J = I; J < nodes; J++, pair++) {
          K[I][J] = own[(4 * v + w) * pairs + pair];
          if (J > I) K[J][I] = own[(4 * w + v) * pairs + pair];
        }
      for (int I = 0; I < nodes; I++)
        for (int J = 0; J < nodes; J++) {
          KT[I][J] = 0;
          for (int k = 0; k < nodes; k++) KT[I][J] += K[I][k] * T[k][J];
        }
      for (int I = 0, pair = 0; I < nodes; I++)
        for (int J = I; J < nodes; J++, pair++) {
          double sum = 0;
          for (int k = 0; k < nodes; k++) sum += T[k][I] * KT[k][J];
          weight[(4 * v + w) * pairs + pair] = sum;
        }
    }
}
