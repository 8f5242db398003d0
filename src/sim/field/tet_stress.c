// Stresses: see tet_stress.h.
#define REAL double
#define REAL_SUFFIX f64
#include "sim/field/tet_stress.h"

#include "sim/element/neo_hookean_tet.h"
#include "sim/field/stress_measure.h"

double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, double mu, double lambda, double sigma[6]) {
  double S[ELEMENT_SUPPLEMENTAL], nodal[ELEMENT_DOF], B[4][3], G[3][3];
  element_supplemental(mesh, e, S);
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) nodal[3 * a + i] = u[mesh->tet[e][a]][i];
  element_gradient(nodal, S, B, G);
  const double factor = mesh->stiffness ? mesh->stiffness[e] : 1;
  return cauchy_stress((const double(*)[3])G, factor * mu, factor * lambda, sigma);
}

double von_mises(const double sigma[6]) {
  return von_mises_stress(sigma);
}

double largest_principal(const double sigma[6]) {
  return largest_principal_stress(sigma);
}
