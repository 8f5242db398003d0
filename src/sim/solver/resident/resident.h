// What the two twins of the resident solver share: conjugate gradients in the form of Chronopoulos and Gear (1989),
// whose sums are all taken at one place of an iteration, so that the parts of a matrix in parts speak once an
// iteration. With u = M^-1 r and w = A u, each iteration takes gamma = r.u, delta = w.u and r.r, then
//   beta = gamma / gamma before, p.Ap = delta - beta^2 (p.Ap before), alpha = gamma / p.Ap,
//   p = u + beta p, s = w + beta s (which is A p), x += alpha p, r -= alpha s.
// Each part also keeps r, s and u of its halo, which follow from w there: only w of boundary nodes and the three sums
// travel. Where rounding leaves p.Ap <= 0, which alone does not say that A is indefinite, the directions begin anew
// (recurrence.h): beta is 0.
//
// With a coarse space (coarse.h) u = D^-1 r + P y, and y follows from w as r does, so that nothing waits for r:
//   omega = P^T w,  psi = B omega,  turn = psi + beta turn,  y -= alpha turn
// omega travels with the sums, to all parts; each takes its own rows of B, and psi travels to those next to it: the
// second exchange of an iteration. y begins as B P^T b. What rounding does to delta is then a share of u.Du, which may
// be more than gamma and which nobody sums: a matrix that is conditioned badly enough is taken for an indefinite one.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/solver/cg/recurrence.h"
#include "sim/solver/solver.h"

// what an iteration leaves to the next
typedef struct ResidentScalars {
  real gamma_inverse, pAp, rr0, rr;
  double bound;  // on rr
  double doubt;  // of pAp
} ResidentScalars;

// Sums are taken of r times a power of two that brings the largest entry of b near 1: the squares of small residuals
// have no room in float.
HOST_DEVICE real resident_scale(real most) {
  const int bound = sizeof(real) == sizeof(float) ? 100 : 1000;  // beyond, 1 over it may have no room
  int exponent = 0;
  frexp((double)most, &exponent);
  exponent = exponent < -bound ? -bound : exponent > bound ? bound : exponent;
  return (real)ldexp(1.0, -exponent);
}

// How a solve ends that has no iteration to take, from the largest entry of b: 0 or not a number. Else SOLVER_RUNNING.
HOST_DEVICE SolverEnd resident_begin(real most) {
  if (!isfinite(most)) return SOLVER_BROKEN;
  return most == 0 ? SOLVER_CONVERGED : SOLVER_RUNNING;
}

// The decision of iteration `iteration`, of which sums are r.u, w.u and r.r: SOLVER_RUNNING, with alpha and beta, or
// how it ends. resident_keep follows where it goes on.
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

// What the next decision needs of this one, apart, since nobody waits for it.
HOST_DEVICE void resident_keep(ResidentScalars *z, const real sums[3], real beta) {
  z->gamma_inverse = 1 / sums[0];
  z->doubt = curvature_doubt(sums[0], beta, z->doubt);
}
