// What a tet adds to a nodal field: its value times its volume, and its volume.
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
