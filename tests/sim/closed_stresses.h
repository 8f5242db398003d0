// Stresses of materials in closed form, for comparison with the program. They were derived by hand from the energy
// density W, independently of the program's material headers.
#pragma once
#include <math.h>

// Cauchy stresses of one material, Pa. For the stretch F = diag(1, 1, s), `along` is sigma_zz and `across` is sigma_xx.
// For the simple shear x += g y, `shear` is sigma_xy. The argument `share` is the setting second_invariant of
// Mooney-Rivlin, a fraction of mu; other materials ignore it.
typedef struct ClosedForm {
  const char *material;
  double (*along)(double mu, double lambda, double share, double s);
  double (*across)(double mu, double lambda, double share, double s);
  double (*shear)(double mu, double lambda, double share, double g);
} ClosedForm;

// Neo-Hookean: W = mu/2 (s^2 - 1) + lambda/2 ln^2 s - mu ln s for the stretch s.
static inline double neo_along(double mu, double lambda, double share, double s) {
  (void)share;
  return mu * (s - 1 / s) + lambda * log(s) / s;
}
static inline double neo_across(double mu, double lambda, double share, double s) {
  (void)mu, (void)share;
  return lambda * log(s) / s;
}
static inline double neo_shear(double mu, double lambda, double share, double g) {
  (void)lambda, (void)share;
  return mu * g;
}

// Mooney-Rivlin, with b = F F^T and its invariants I1 and I2: sigma = 2/J [(W1 + I1 W2) b - W2 b^2] + (terms in J) I.
// W1 and W2 are the derivatives of W by I1 and I2. For the stretch s, b = diag(1, 1, s^2) and I1 = 2 + s^2.
static inline double rivlin_along(double mu, double lambda, double share, double s) {
  const double m1 = (1 - share) * mu, m2 = share * mu, l = lambda - 2 * m2;
  return (m1 * s * s + m2 * ((2 + s * s) * s * s - s * s * s * s) - (m1 + 2 * m2) + l * log(s)) / s;
}
static inline double rivlin_across(double mu, double lambda, double share, double s) {
  const double m1 = (1 - share) * mu, m2 = share * mu, l = lambda - 2 * m2;
  return (m1 + m2 * ((2 + s * s) - 1) - (m1 + 2 * m2) + l * log(s)) / s;
}
// For the simple shear g, b = [1 + g^2, g; g, 1] in the plane of shear, I1 = 3 + g^2 and (b^2)_xy = g (2 + g^2).
static inline double rivlin_shear(double mu, double lambda, double share, double g) {
  (void)lambda;
  return (1 - share) * mu * g + share * mu * ((3 + g * g) * g - g * (2 + g * g));
}

// St. Venant-Kirchhoff: S = 2 mu E + lambda tr(E) I with Green's strain E, and sigma = F S F^T / J. For the stretch s,
// the only entry of E is E_zz = (s^2 - 1)/2.
static inline double kirchhoff_along(double mu, double lambda, double share, double s) {
  (void)share;
  return s * (2 * mu + lambda) * (s * s - 1) / 2;
}
static inline double kirchhoff_across(double mu, double lambda, double share, double s) {
  (void)mu, (void)share;
  return lambda * (s * s - 1) / (2 * s);
}
// For the simple shear g, E_xy = g/2 and E_yy = g^2/2.
static inline double kirchhoff_shear(double mu, double lambda, double share, double g) {
  (void)share;
  return mu * g + (2 * mu + lambda) * g * g * g / 2;
}

static const ClosedForm closed_forms[] = {
  { "neo_hookean", neo_along, neo_across, neo_shear },
  { "mooney_rivlin", rivlin_along, rivlin_across, rivlin_shear },
  { "stvk", kirchhoff_along, kirchhoff_across, kirchhoff_shear },
};
