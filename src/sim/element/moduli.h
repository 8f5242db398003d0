// The two ways to give an isotropic material: Lame's constants, and Young's modulus with Poisson's ratio.
#pragma once
#include <stdbool.h>

#include "device/host_device.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lame's constants, Pa.
static inline double lame_mu(double young, double poisson) {
  return young / (2 * (1 + poisson));
}
static inline double lame_lambda(double young, double poisson) {
  return young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

// The lambda of strains in a plane: that of the material where nothing moves across it (plane strain), or, where
// nothing pulls across it (plane stress), what is left when the strain across is eliminated.
HOST_DEVICE double lame_plane_lambda(double mu, double lambda, bool stress) {
  return stress ? 2 * mu * lambda / (lambda + 2 * mu) : lambda;
}

// Young's modulus, Pa, and Poisson's ratio.
static inline double young_modulus(double mu, double lambda) {
  return mu * (3 * lambda + 2 * mu) / (lambda + mu);
}
static inline double poisson_ratio(double mu, double lambda) {
  return lambda / (2 * (lambda + mu));
}

#ifdef __cplusplus
}
#endif
