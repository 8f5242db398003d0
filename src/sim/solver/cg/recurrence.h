// The curvature p.Ap of conjugate gradients in the form of Chronopoulos and Gear (1989). There it is not computed as a
// scalar product but as a difference:
//   p.Ap = delta - beta^2 (previous p.Ap),   delta = u.Au,  u = M^-1 r,  gamma = r.u
// p is the search direction, M the preconditioner, r the residual, and beta = gamma / (previous gamma). If the matrix
// is positive definite but badly conditioned, rounding can cancel all digits of this difference, and its sign is
// meaningless. So a bound of its rounding error is computed too. The error of delta is proportional to gamma = u.Mu,
// which has the size of the terms of delta. The error of the previous p.Ap enters with the factor beta^2.
//
// If p.Ap <= 0 beyond this bound, the matrix is indefinite. If it is within the bound, the directions restart from the
// present residual: beta = 0 and p.Ap = delta, as in a first iteration. This needs no product, and the energy still
// decreases. (Computing p.Ap from the product A p does not help. By then the vector s, which the recurrence updates in
// place of A p, has drifted away from it, and most such solves never converge.)
#pragma once
#include <float.h>
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"

// Bound of the error of delta relative to gamma, in units of the machine epsilon. It was measured on chains of 40 and
// 100 springs whose stiffness falls along the chain. Over 3.5 to 6 decades of stiffness in float, p.Ap fell to 8 units
// below 0. Over 11.5 to 13 decades in double, it fell to 25 units, and to 60 for one chain in a hundred. With this
// bound, a matrix whose smallest eigenvalue is -1e-4 is still detected in float, in twice as many iterations, and one
// with -1e-3 in one more iteration.
enum { CURVATURE_ROUNDING = 32 };

// Returns the bound of the error of p.Ap; `before` is the bound of the previous iteration.
HOST_DEVICE double curvature_doubt(double gamma, double beta, double before) {
  const double unit_roundoff = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return CURVATURE_ROUNDING * unit_roundoff * gamma + beta * beta * before;
}

// Returns true if p.Ap <= 0 but within the rounding error `doubt`, so that the directions must restart.
HOST_DEVICE bool curvature_doubtful(double pAp, double delta, double doubt) {
  return delta > 0 && pAp <= 0 && pAp > -doubt;
}
