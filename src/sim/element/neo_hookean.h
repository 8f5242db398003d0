// The compressible neo-Hookean solid (paper 000, section 16.4.1), in terms of the displacement gradient G = F - I.
//   W = mu/2 (F:F - 3) + lambda/2 ln^2 J - mu ln J
//   P = mu F + (lambda ln J - mu) F^-T
// Near rest F - F^-T is a small difference of numbers near one: in float its rounding would be mu * 1e-7 in every tet.
// So nothing here is formed from F itself. With cof(I + G) = (1 + tr G) I - G^T + cof G and j = J - 1,
//   j = tr G + tr cof G + det G
//   F - F^-T = (G + G^T + j G + (tr cof G + det G) I - cof G) / J
// in which every term is as small as the strain.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"

// log(1 + x) in the precision of `real`, exact to round-off for small x
HOST_DEVICE real real_log1p(real x) {
  return sizeof(real) == sizeof(float) ? (real)log1pf((float)x) : (real)log1p((double)x);
}

// What both stress and energy need of G. Matrices are [row][column].
typedef struct Strain {
  real cof_G[3][3];
  real trace, trace_cof, det;  // of G, cof G, G
  real j;                      // J - 1
} Strain;

HOST_DEVICE Strain strain_of(const real G[3][3]) {
  Strain s;
  s.cof_G[0][0] = G[1][1] * G[2][2] - G[1][2] * G[2][1];
  s.cof_G[0][1] = G[1][2] * G[2][0] - G[1][0] * G[2][2];
  s.cof_G[0][2] = G[1][0] * G[2][1] - G[1][1] * G[2][0];
  s.cof_G[1][0] = G[2][1] * G[0][2] - G[2][2] * G[0][1];
  s.cof_G[1][1] = G[2][2] * G[0][0] - G[2][0] * G[0][2];
  s.cof_G[1][2] = G[2][0] * G[0][1] - G[2][1] * G[0][0];
  s.cof_G[2][0] = G[0][1] * G[1][2] - G[0][2] * G[1][1];
  s.cof_G[2][1] = G[0][2] * G[1][0] - G[0][0] * G[1][2];
  s.cof_G[2][2] = G[0][0] * G[1][1] - G[0][1] * G[1][0];
  s.trace = G[0][0] + G[1][1] + G[2][2];
  s.trace_cof = s.cof_G[0][0] + s.cof_G[1][1] + s.cof_G[2][2];
  s.det = G[0][0] * s.cof_G[0][0] + G[0][1] * s.cof_G[0][1] + G[0][2] * s.cof_G[0][2];
  s.j = s.trace + s.trace_cof + s.det;
  return s;
}

/// First Piola-Kirchhoff stress P, Pa, and F^-T, from G. Returns J; where J <= 0 the results are not numbers.
HOST_DEVICE real neo_hookean_stress(const real G[3][3], real mu, real lambda, real P[3][3], real F_inverse_T[3][3],
                                    real *log_J) {
  const Strain s = strain_of(G);
  const real J = 1 + s.j, inverse_J = 1 / J, second = s.trace_cof + s.det;
  *log_J = real_log1p(s.j);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const real one = i == k ? (real)1 : (real)0;
      F_inverse_T[i][k] = ((1 + s.trace) * one - G[k][i] + s.cof_G[i][k]) * inverse_J;
      const real difference = (G[i][k] + G[k][i] + s.j * G[i][k] + second * one - s.cof_G[i][k]) * inverse_J;
      P[i][k] = mu * difference + lambda * *log_J * F_inverse_T[i][k];
    }
  return J;
}

/// Strain energy density W, J/m^3, from G.
HOST_DEVICE real neo_hookean_energy(const real G[3][3], real mu, real lambda) {
  const Strain s = strain_of(G);
  const real log_J = real_log1p(s.j);
  real G_G = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) G_G += G[i][k] * G[i][k];
  // F:F - 3 = 2 tr G + G:G
  return mu * (s.trace - log_J + (real)0.5 * G_G) + (real)0.5 * lambda * log_J * log_J;
}
