// Exact solutions that need no mesh: see closed_forms.h.
#include "verify/closed_forms.h"

#include <math.h>

#include "sim/element/moduli.h"

// P along an axis of stretch s, over E: mu (s - 1/s) + lambda ln J / s
static double principal_stress(double s, double J, double poisson) {
  const double mu = lame_mu(1, poisson), lambda = lame_lambda(1, poisson);
  return mu * (s - 1 / s) + lambda * log(J) / s;
}

Stretched stretched(int axes, double stretch, double poisson) {
  // bisection: the stress of the free axes grows with their stretch
  double low = 1e-3, high = 1e3;
  const double along = pow(stretch, axes);
  for (int k = 0; k < 200; k++) {
    const double middle = 0.5 * (low + high);
    if (principal_stress(middle, along * pow(middle, 3 - axes), poisson) > 0)
      high = middle;
    else
      low = middle;
  }
  const double free_stretch = 0.5 * (low + high);
  const Stretched answer = { principal_stress(stretch, along * pow(free_stretch, 3 - axes), poisson), free_stretch };
  return answer;
}

// integral of (q + sqrt(q^2 + 4)) / 2 over q
static double stretch_integral(double q) {
  const double root = sqrt(q * q + 4);
  return (q * q + q * root) / 4 + asinh(q / 2);
}

double bar_displacement(double load, double Z) {
  const double from = 2 * load, to = 2 * load * (1 - Z);
  return (stretch_integral(from) - stretch_integral(to)) / (2 * load) - Z;
}

double bar_tip(double load) {
  return bar_displacement(load, 1);
}
