// p.Ap of conjugate gradients in the form of Chronopoulos and Gear (1989), in which it is not a product but a
// difference:
//   p.Ap = delta - beta^2 (previous p.Ap),   delta = u.Au,  u = M^-1 r,  gamma = r.u
// For a positive definite but badly conditioned matrix, rounding can cancel all digits of this difference, so that its
// sign is meaningless. Therefore a bound of its rounding error is computed with it. The error of delta is proportional
// to gamma = u.Mu, which has the size of the terms of delta. beta^2 carries the earlier error on.
//
// If p.Ap <= 0 beyond the bound, the matrix is indefinite. Within the bound the directions restart from the present
// residual: beta = 0 and p.Ap = delta, as in a first iteration. This needs no product, and the energy still decreases.
// (Computing the product p.Ap instead does not help: by then s has drifted away from A p, and most such solves never
// converge.)
#pragma once
#include <float.h>
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"

// Bound of the error of delta relative to gamma, in units of the last place. On chains of 40 and 100 springs over 3.5
// to 6 decades, p.Ap fell in float to 8 units below 0. In double over 11.5 to 13 decades it fell to 25 units, and on
// one chain of a hundred to 60. A matrix with a smallest eigenvalue of -1e-4 is still detected in float, in twice as
// many iterations; one with -1e-3 takes one more iteration.
enum { CURVATURE_ROUNDING = 32 };

// Returns the bound of the error of p.Ap, from the previous bound.
HOST_DEVICE double curvature_doubt(double gamma, double beta, double before) {
  const double unit_roundoff = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return CURVATURE_ROUNDING * unit_roundoff * gamma + beta * beta * before;
}

// Returns true if p.Ap <= 0 is within the rounding error and the directions must restart.
HOST_DEVICE bool curvature_doubtful(double pAp, double delta, double doubt) {
  return delta > 0 && pAp <= 0 && pAp > -doubt;
}
