// Computes the matrix A of Tocher's plate triangle, which gives the unknowns from nine coefficients, and inverts it:
// see tocher_inverse.h.
#include "lab/stationary/shape/tocher_inverse.h"

#include <math.h>
#include <string.h>

enum { N = 9 };

// Computes A [9][9], which gives the unknowns w, w_x and w_y at the three nodes, in this order, from the nine
// coefficients of the polynomial w. x [3][2] are the coordinates of the nodes, divided by the triangle's size h.
static void fill(const double x[3][2], double A[N][N]) {
  for (int c = 0; c < 3; c++) {
    const double u = x[c][0], v = x[c][1];
    const double rows[3][N] = { { 1, u, v, u * u, u * v, v * v, u * u * u, u * v * (u + v), v * v * v },
                                { 0, 1, 0, 2 * u, v, 0, 3 * u * u, 2 * u * v + v * v, 0 },
                                { 0, 0, 1, 0, u, 2 * v, 0, u * u + 2 * u * v, 3 * v * v } };
    memcpy(A[3 * c], rows, sizeof rows);
  }
}

// Computes the inverse of A by Gauss-Jordan elimination with partial pivoting (exchange of rows). Returns false if A is
// nearly singular.
static bool invert(double A[N][N], double inverse[N][N]) {
  double largest = 0, smallest = INFINITY;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) inverse[i][k] = i == k;
  for (int k = 0; k < N; k++) {
    int best = k;
    for (int i = k + 1; i < N; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    for (int j = 0; best != k && j < N; j++) {
      const double a = A[k][j], b = inverse[k][j];
      A[k][j] = A[best][j];
      A[best][j] = a;
      inverse[k][j] = inverse[best][j];
      inverse[best][j] = b;
    }
    const double pivot = A[k][k];
    largest = fmax(largest, fabs(pivot));
    smallest = fmin(smallest, fabs(pivot));
    if (!(smallest >= 1e-9 * largest)) return false;
    for (int j = 0; j < N; j++) {
      A[k][j] /= pivot;
      inverse[k][j] /= pivot;
    }
    for (int i = 0; i < N; i++) {
      const double factor = A[i][k];
      for (int j = 0; i != k && j < N; j++) {
        A[i][j] -= factor * A[k][j];
        inverse[i][j] -= factor * inverse[k][j];
      }
    }
  }
  return true;
}

bool tocher_inverse(const Space *space, int e, double *h, double inverse[81]) {
  const int *node = space_cell(space, e);
  double X[3][2], centre[2] = { 0 }, A[N][N], made[N][N];
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 2; i++) {
      X[c][i] = space->X[node[c]][i];
      centre[i] += X[c][i] / 3;
    }
  *h = sqrt(fabs((X[0][0] - X[2][0]) * (X[1][1] - X[2][1]) - (X[0][1] - X[2][1]) * (X[1][0] - X[2][0])));
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 2; i++) X[c][i] = (X[c][i] - centre[i]) / *h;
  memset(inverse, 0, sizeof *inverse * N * N);
  fill((const double(*)[2])X, A);
  if (!(*h > 0) || !invert(A, made)) return false;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) inverse[N * i + k] = made[i][k] * (k % 3 ? *h : 1);
  return true;
}
