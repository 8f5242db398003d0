// The curvature p.Ap in the form of conjugate gradients by Chronopoulos and Gear (1989), and the decision if it is
// negative. p is the search direction, M the preconditioner, r the residual. In this form p.Ap is not a scalar product
// but follows from two others:
//   p.Ap = delta - beta^2 (previous p.Ap),   delta = u.Au,  u = M^-1 r,  gamma = r.u,  beta = gamma / (previous gamma)
// If the matrix is positive definite but badly conditioned, rounding can cancel all digits of this difference, and its
// sign has no meaning. So a bound of its rounding error is computed too. The error of delta is proportional to gamma.
// The error of the previous p.Ap enters with the factor beta^2.
//
// If p.Ap is negative beyond this bound, the matrix is indefinite. If it is negative but within the bound, the
// directions restart from the present residual: beta = 0 and p.Ap = delta, as in a first iteration. This needs no
// product, and the energy still decreases.
#pragma once
#include <float.h>
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"

// Bound of the error of delta relative to gamma, in units of the machine epsilon. In measurements with positive
// definite chains of springs, rounding brought p.Ap to 8 units below 0 in float, and to 25 in double. With this bound,
// float still detects a matrix with the smallest eigenvalue -1e-4, in twice as many iterations.
enum { CURVATURE_ROUNDING = 32 };

// Returns the bound of the rounding error of p.Ap, with gamma = r.u. `before` is the bound of the previous iteration.
HOST_DEVICE double curvature_doubt(double gamma, double beta, double before) {
  const double unit_roundoff = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return CURVATURE_ROUNDING * unit_roundoff * gamma + beta * beta * before;
}

// Returns true if p.Ap <= 0 but within its rounding error `doubt`, so that the search directions must restart.
HOST_DEVICE bool curvature_doubtful(double pAp, double delta, double doubt) {
  return delta > 0 && pAp <= 0 && pAp > -doubt;
}
