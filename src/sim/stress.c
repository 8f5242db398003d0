// Stresses: see stress.h.
#define REAL double
#define REAL_SUFFIX f64
#include "sim/stress.h"

#include <math.h>

#include "sim/element/neo_hookean_tet.h"

double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, double mu, double lambda, double sigma[6]) {
  static const int row[6] = { 0, 1, 2, 0, 1, 0 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  double S[ELEMENT_SUPPLEMENTAL], nodal[ELEMENT_DOF], B[4][3], G[3][3], P[3][3], F_inverse_T[3][3], log_J;
  element_supplemental(mesh, e, S);
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) nodal[3 * a + i] = u[mesh->tet[e][a]][i];
  element_gradient(nodal, S, B, G);
  const double J = neo_hookean_stress((const double(*)[3])G, mu, lambda, P, F_inverse_T, &log_J);
  // sigma = P F^T / J
  for (int k = 0; k < 6; k++) {
    sigma[k] = 0;
    for (int j = 0; j < 3; j++) sigma[k] += P[row[k]][j] * (G[column[k]][j] + (column[k] == j)) / J;
  }
  return J;
}

double von_mises(const double s[6]) {
  return sqrt(0.5 * ((s[0] - s[1]) * (s[0] - s[1]) + (s[1] - s[2]) * (s[1] - s[2]) + (s[2] - s[0]) * (s[2] - s[0])) +
              3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}
