// Computes exact solutions for the neo-Hookean material (closed_forms.h).
#include "verify/closed_forms.h"

#include <math.h>

#include "sim/element/moduli.h"

// Returns P/E: the nominal stress P along an axis with stretch s, divided by Young's modulus E. P/E = mu (s - 1/s) +
// lambda ln J / s. J is the product of the three stretches; mu and lambda are Lamé's constants for E = 1.
static double principal_stress(double s, double J, double poisson) {
  const double mu = lame_mu(1, poisson), lambda = lame_lambda(1, poisson);
  return mu * (s - 1 / s) + lambda * log(J) / s;
}

Stretched stretched(int axes, double stretch, double poisson) {
  // Find the stretch along the free axes, at which the stress is 0, by bisection: the stress grows with the stretch.
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

double pressed_stretch(double pressure, double poisson) {
  // Find the stretch by bisection: between these bounds, the Cauchy stress P / stretch^2 grows with the stretch.
  double low = 0.3, high = 1.5;
  for (int k = 0; k < 200; k++) {
    const double middle = 0.5 * (low + high);
    if (principal_stress(middle, pow(middle, 3), poisson) / (middle * middle) > -pressure)
      high = middle;
    else
      low = middle;
  }
  return 0.5 * (low + high);
}

// Computes the right sides of the differential equations of a thick cylinder under inner pressure. A point at radius R
// at rest moves to radius r. P_r and P_t are the radial and circumferential nominal stress, divided by Young's modulus
// E. The unknowns are y = (r, S) with S = R P_r; slope = dy/dR. dr/dR is the radial stretch, found by bisection from
// P_r = S / R. Equilibrium gives dS/dR = P_t.
static void cylinder_slopes(double R, const double y[2], double poisson, double slope[2]) {
  const double around = y[0] / R;
  double low = 1e-3, high = 1e3;
  for (int k = 0; k < 100; k++) {
    const double middle = 0.5 * (low + high);
    *(principal_stress(middle, middle * around, poisson) > y[1] / R ? &high : &low) = middle;
  }
  slope[0] = 0.5 * (low + high);
  slope[1] = principal_stress(around, slope[0] * around, poisson);
}

// Integrates the equations of cylinder_slopes by the method of Runge and Kutta, from the inner side R = 1, whose
// displacement is `inner`, to the outer side R = `outer`. Returns S = R P_r at the outer side. S is 0 for the right
// `inner`, since the outer side has no load.
static double cylinder_outside(double inner, double pressure, double poisson, double outer) {
  enum { STEPS = 200 };
  static const double part[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
  const double h = (outer - 1) / STEPS;
  double y[2] = { 1 + inner, -pressure * (1 + inner) };
  for (int n = 0; n < STEPS; n++) {
    double next[2] = { y[0], y[1] }, slope[2] = { 0, 0 };
    for (int stage = 0; stage < 4; stage++) {
      const double at[2] = { y[0] + part[stage] * h * slope[0], y[1] + part[stage] * h * slope[1] };
      cylinder_slopes(1 + h * (n + part[stage]), at, poisson, slope);
      for (int i = 0; i < 2; i++) next[i] += weight[stage] * h * slope[i];
    }
    y[0] = next[0];
    y[1] = next[1];
  }
  return y[1];
}

double cylinder_inflation(double pressure, double poisson, double outer) {
  double u[2] = { pressure, 1.1 * pressure }, S[2];
  for (int k = 0; k < 2; k++) S[k] = cylinder_outside(u[k], pressure, poisson, outer);
  for (int k = 0; k < 50 && fabs(u[1] - u[0]) > 1e-12; k++) {
    const double next = u[1] - S[1] * (u[1] - u[0]) / (S[1] - S[0]);
    u[0] = u[1];
    S[0] = S[1];
    u[1] = next;
    S[1] = cylinder_outside(next, pressure, poisson, outer);
  }
  return u[1];
}

// Returns an antiderivative over q of (q + sqrt(q^2 + 4)) / 2, the stretch of a bar under its weight (bar_tip).
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
