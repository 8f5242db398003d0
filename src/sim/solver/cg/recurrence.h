// p.Ap of conjugate gradients in the form of Chronopoulos and Gear (1989), where it is not a product but a difference:
//   p.Ap = delta - beta^2 (p.Ap before),   delta = u.Au,  u = M^-1 r,  gamma = r.u
// Of a badly conditioned matrix that is positive definite, rounding may leave nothing of it, and its sign then says
// nothing. So a bound on what rounding has done to it goes along: delta is wrong by a share of gamma, which is u.Mu and
// so as large as the terms that delta is added up from, and beta^2 carries on what was wrong before. A p.Ap <= 0 beyond
// the bound is that of an indefinite matrix. Within it, the directions begin anew from the residual as it stands:
// beta = 0 and p.Ap = delta, as in a first iteration, which needs no product, and the energy falls all the same. (A
// product p.Ap in its place does not help: by then s has drifted away from A p, and most such solves never end.)
#pragma once
#include <float.h>
#include <stdbool.h>

#include "base/real.h"
#include "device/host_device.h"

// How much of gamma a delta is wrong by, in units of the last place, so that the bound serves. On chains of 40 and
// 100 springs over 3.5 to 6 decades, p.Ap fell in float to as far as 8 of them below 0; in double over 11.5 to 13
// decades to 25, and on one chain of a hundred to 60. A matrix whose least eigenvalue is -1e-4 is still told in float,
// in twice as many iterations; one of -1e-3 takes one more.
enum { CURVATURE_ROUNDING = 32 };

// The bound on what is wrong with delta - beta^2 (p.Ap before), from that of before.
HOST_DEVICE double curvature_doubt(double gamma, double beta, double before) {
  const double last_place = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return CURVATURE_ROUNDING * last_place * gamma + beta * beta * before;
}

// Whether a p.Ap that is not positive says nothing about the matrix, so that the directions are to begin anew.
HOST_DEVICE bool curvature_doubtful(double pAp, double delta, double doubt) {
  return delta > 0 && pAp <= 0 && pAp > -doubt;
}
