// Conversions between the constants of an isotropic material: Lame's mu and lambda, Pa, and Young's modulus, Pa, with
// Poisson's ratio.
#pragma once
#include <stdbool.h>

#include "device/host_device.h"

#ifdef __cplusplus
extern "C" {
#endif

// lame_mu and lame_lambda return Lame's constants, Pa, from Young's modulus, Pa, and Poisson's ratio.
static inline double lame_mu(double young, double poisson) {
  return young / (2 * (1 + poisson));
}
static inline double lame_lambda(double young, double poisson) {
  return young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

// Returns Lame's lambda, Pa, for problems in the plane. In plane strain the result is the material's lambda. In plane
// stress (`stress` is true) the result is smaller, so that the stress across the plane is zero.
HOST_DEVICE double lame_plane_lambda(double mu, double lambda, bool stress) {
  return stress ? 2 * mu * lambda / (lambda + 2 * mu) : lambda;
}

// young_modulus and poisson_ratio return Young's modulus, Pa, and Poisson's ratio from Lame's constants mu and lambda,
// Pa.
static inline double young_modulus(double mu, double lambda) {
  return mu * (3 * lambda + 2 * mu) / (lambda + mu);
}
static inline double poisson_ratio(double mu, double lambda) {
  return lambda / (2 * (lambda + mu));
}

#ifdef __cplusplus
}
#endif
