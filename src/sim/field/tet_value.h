// What the twins of a nodal field do alike: what a tet adds, its value times its volume, and its volume; and what follows
// the nodes' values.
#pragma once
#include "sim/element/neo_hookean_tet.h"
#include "sim/field/nodal_field.h"
#include "sim/field/stress_measure.h"

HOST_DEVICE void tet_value(FieldKind kind, const int *tet, const real *u, const real *S, real mu, real lambda,
                           real value[2]) {
  real nodal[ELEMENT_DOF], B[4][3], G[3][3], sigma[6], f;
  for (int a = 0; a < 4; a++)
    for (int i = 0; i < 3; i++) nodal[3 * a + i] = u[3 * tet[a] + i];
  element_gradient(nodal, S, B, G);
  if (kind == FIELD_J) {
    f = 1 + strain_of(G).j;
  } else {
    cauchy_stress(G, mu, lambda, sigma);
    f = kind == FIELD_VON_MISES ? von_mises_stress(sigma) : largest_principal_stress(sigma);
  }
  const real V = f - f == 0 ? element_volume(S) : (real)0;  // none where it is not finite
  value[0] = V > 0 ? V * f : (real)0;
  value[1] = V;
}

HOST_DEVICE void field_extra(float low, float high, double sum, double squares, int count, float extra[FIELD_EXTRA]) {
  const double mean = sum / count, variance = squares / count - mean * mean;
  extra[FIELD_SMALLEST] = low;
  extra[FIELD_LARGEST] = high;
  extra[FIELD_MEAN] = (float)mean;
  extra[FIELD_SPREAD] = variance > 0 ? (float)sqrt(variance) : 0;
}
