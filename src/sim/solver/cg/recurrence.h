// The curvature p.Ap in the form of conjugate gradients by Chronopoulos and Gear (1989), and the decision if it is
// negative. p is the search direction, M the preconditioner, r the residual. In this form p.Ap is not computed as a
// scalar product but follows from the scalar products gamma and delta:
//   p.Ap = delta - beta^2 (previous p.Ap),   delta = u.Au,  u = M^-1 r,  gamma = r.u,  beta = gamma / (previous gamma)
// If the matrix is positive definite but badly conditioned, rounding can cancel all digits of this difference, and the
// sign of p.Ap has no meaning. So a bound of the rounding error of p.Ap is computed too. The error of delta is
// proportional to gamma. The error of the previous p.Ap enters with the factor beta^2.
//
// If p.Ap is below minus this bound, the matrix is indefinite. If p.Ap is negative but above minus this bound, the
// directions restart from the present residual: beta = 0 and p.Ap = delta, as in a first iteration. A restart needs no
// additional product, and the energy still decreases.
#pragma once
#include <float.h>
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"

// Bound of the error of delta = u.Au, divided by gamma = r.u and by the machine epsilon. In measurements with positive
// definite chains of springs, rounding brought p.Ap down to -8 in these units in float, and to -25 in double. With this
// bound, float still detects a matrix with the smallest eigenvalue -1e-4, in twice as many iterations.
enum { CURVATURE_ROUNDING = 32 };

// Returns a bound of the rounding error of p.Ap. gamma is r.u, and `before` the bound of the previous iteration.
HOST_DEVICE double curvature_doubt(double gamma, double beta, double before) {
  const double unit_roundoff = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return CURVATURE_ROUNDING * unit_roundoff * gamma + beta * beta * before;
}

// Returns true if -doubt < p.Ap <= 0, so that the directions must restart. `doubt`: bound of the error of p.Ap.
HOST_DEVICE bool curvature_doubtful(double pAp, double delta, double doubt) {
  return delta > 0 && pAp <= 0 && pAp > -doubt;
}
