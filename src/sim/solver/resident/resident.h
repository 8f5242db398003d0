// Code of the resident solver common to CPU and GPU: conjugate gradients in the form of Chronopoulos and Gear (1989).
// All sums of an iteration are computed at one point, so the parts of a matrix in parts exchange data once per
// iteration. With u = M^-1 r and w = A u, each iteration computes gamma = r.u, delta = w.u and r.r, then
//   beta = gamma / previous gamma, p.Ap = delta - beta^2 (previous p.Ap), alpha = gamma / p.Ap,
//   p = u + beta p, s = w + beta s (which is A p), x += alpha p, r -= alpha s.
// Each part also keeps r, s and u of its halo, which it computes from w there. So only w of boundary nodes and the
// three sums are exchanged. If rounding leaves p.Ap <= 0, which does not prove that A is indefinite, the directions
// restart with beta = 0 (recurrence.h).
//
// With a coarse space (coarse.h) u = D^-1 r + P y. y follows from w as r does, so nothing waits for r:
//   omega = P^T w,  psi = B omega,  turn = psi + beta turn,  y -= alpha turn
// omega is sent to all parts, with the sums. Each part computes its rows of B omega and sends psi to its neighbours:
// the second exchange of an iteration. Initially y = B P^T b. The rounding error of delta is then a fraction of u.Du,
// which can exceed gamma and is not computed. So a sufficiently badly conditioned matrix is taken for an indefinite
// one.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/solver/cg/recurrence.h"
#include "sim/solver/solver.h"

// Scalars that an iteration passes to the next one.
typedef struct ResidentScalars {
  real gamma_inverse, pAp, rr0, rr;
  double bound;  // rr of convergence
  double doubt;  // bound of the rounding error of pAp
} ResidentScalars;

// Returns the power of two by which r is scaled for the sums. It brings the largest entry of b near 1, because squares
// of small residuals underflow in float.
HOST_DEVICE real resident_scale(real largest) {
  const int bound = sizeof(real) == sizeof(float) ? 100 : 1000;  // larger exponents have no finite inverse
  int exponent = 0;
  frexp((double)largest, &exponent);
  exponent = exponent < -bound ? -bound : exponent > bound ? bound : exponent;
  return (real)ldexp(1.0, -exponent);
}

// Returns how a solve ends without any iteration, from the largest absolute entry of b: converged if 0, broken if not
// finite. Otherwise returns SOLVER_RUNNING.
HOST_DEVICE SolverEnd resident_begin(real largest) {
  if (!isfinite(largest)) return SOLVER_BROKEN;
  return largest == 0 ? SOLVER_CONVERGED : SOLVER_RUNNING;
}

// Decides iteration `iteration` from the sums r.u, w.u and r.r. Returns SOLVER_RUNNING and writes alpha and beta, or
// returns how the solve ends. If it continues, resident_keep must follow.
HOST_DEVICE SolverEnd resident_decide(ResidentScalars *z, const real sums[3], int iteration, int iterations_max,
                                      double relative, real *alpha, real *beta) {
  const real gamma = sums[0], delta = sums[1];
  const bool first = iteration == 0;
  if (first) z->rr0 = sums[2], z->bound = relative * relative * (double)z->rr0;
  if (!isfinite(gamma + delta + sums[2])) return SOLVER_BROKEN;
  z->rr = sums[2];
  if (!first && (double)z->rr <= z->bound) return SOLVER_CONVERGED;
  if (iteration >= iterations_max) return SOLVER_OUT_OF_ITERATIONS;
  *beta = first ? (real)0 : gamma * z->gamma_inverse;
  z->pAp = first ? delta : delta - *beta * *beta * z->pAp;
  if (!(z->pAp > 0)) {
    if (!curvature_doubtful(z->pAp, delta, curvature_doubt(gamma, *beta, z->doubt))) return SOLVER_INDEFINITE;
    *beta = 0, z->pAp = delta;
  }
  *alpha = gamma / z->pAp;
  return isfinite(*alpha) ? SOLVER_RUNNING : SOLVER_BROKEN;
}

// Stores scalars for the next decision; a separate function because no one waits for them.
HOST_DEVICE void resident_keep(ResidentScalars *z, const real sums[3], real beta) {
  z->gamma_inverse = 1 / sums[0];
  z->doubt = curvature_doubt(sums[0], beta, z->doubt);
}
