// The curvature p.Ap in the form of conjugate gradients by Chronopoulos and Gear (1989), and a test of its sign. p is
// the search direction, M the preconditioner, r the residual. This form computes p.Ap by a recurrence:
//   p.Ap = delta - beta^2 (previous p.Ap),   delta = u.Au,  u = M^-1 r,  gamma = r.u,  beta = gamma / (previous gamma)
// If the matrix is badly conditioned, rounding can cancel all digits of this difference, so that its sign has no
// meaning. So a bound of its rounding error is computed too: the error of delta is proportional to gamma, and the error
// of the previous p.Ap enters with the factor beta^2.
//
// If p.Ap is below minus this bound, the matrix is indefinite. If p.Ap is between minus this bound and 0, the search
// directions restart from the present residual: beta = 0 and p.Ap = delta, as in a first iteration.
#pragma once
#include <float.h>
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"

// Bound of the rounding error of delta = u.Au, where u = M^-1 r. The unit is gamma = r.u times the machine epsilon.
// Tests used chains of springs, which have positive definite matrices. Rounding gave p.Ap as low as -8 units in float
// and -25 units in double, and -60 units for one chain in a hundred. So 32 units suffice for nearly all chains. With
// this bound, a solve in float still detected an indefinite matrix whose smallest eigenvalue was about -1e-4 after the
// matrix was scaled to a diagonal of 1.
enum { CURVATURE_ROUNDING = 32 };

// Returns a bound of the rounding error of p.Ap. gamma: r.u, with u = M^-1 r. before: the previous bound.
HOST_DEVICE double curvature_doubt(double gamma, double beta, double before) {
  const double unit_roundoff = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return CURVATURE_ROUNDING * unit_roundoff * gamma + beta * beta * before;
}

// Returns true if p.Ap <= 0 may be caused by rounding, since p.Ap > -doubt. The search directions must then restart.
HOST_DEVICE bool curvature_doubtful(double pAp, double delta, double doubt) {
  return delta > 0 && pAp <= 0 && pAp > -doubt;
}
