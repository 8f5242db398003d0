// What people look at in a state of stress, from the displacement gradient G = F - I of a neo-Hookean solid.
#pragma once
#include "sim/element/neo_hookean.h"

/// Cauchy stress P F^T / J (xx, yy, zz, xy, yz, xz), Pa. Returns J; where J <= 0 the stress is not a number.
HOST_DEVICE real cauchy_stress(const real G[3][3], real mu, real lambda, real sigma[6]) {
  const int row[6] = { 0, 1, 2, 0, 1, 0 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  real P[3][3], F_inverse_T[3][3], log_J;
  const real J = neo_hookean_stress(G, mu, lambda, P, F_inverse_T, &log_J);
  for (int k = 0; k < 6; k++) {
    sigma[k] = 0;
    for (int j = 0; j < 3; j++) sigma[k] += P[row[k]][j] * (G[column[k]][j] + (column[k] == j ? (real)1 : (real)0)) / J;
  }
  return J;
}

/// Von Mises' equivalent of a stress, Pa.
HOST_DEVICE real von_mises_stress(const real s[6]) {
  const real xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
  const real shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
  return (real)sqrt((double)((real)0.5 * (xy * xy + yz * yz + zx * zx) + 3 * shear));
}

/// The largest principal stress, Pa: the largest root of the characteristic cubic, by its trigonometric form.
HOST_DEVICE real largest_principal_stress(const real s[6]) {
  const real mean = (s[0] + s[1] + s[2]) / 3, a = s[0] - mean, b = s[1] - mean, c = s[2] - mean;
  const real xy = s[3], yz = s[4], xz = s[5];
  const real J2 = (real)0.5 * (a * a + b * b + c * c) + xy * xy + yz * yz + xz * xz;
  const real J3 = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
  if (!(J2 > 0)) return mean;
  const double radius = sqrt((double)J2 / 3);
  double cosine = (double)J3 / (2 * radius * radius * radius);
  cosine = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
  return mean + (real)(2 * radius * cos(acos(cosine) / 3));
}
