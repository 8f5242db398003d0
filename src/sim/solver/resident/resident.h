// Code of the resident solver that is common to CPU and GPU. The solver needs a matrix in parts (part_layout.h): each
// node, with its row of the matrix, belongs to one part. On a GPU each multiprocessor keeps one part in its registers
// and shared memory. The whole solve is one kernel, in which the parts exchange data.
//
// The method is conjugate gradients in the form of Chronopoulos and Gear (1989). It computes all sums of an iteration
// at one point, so parts exchange data only once per iteration. M is the preconditioner, r the residual and p the
// search direction. With u = M^-1 r and w = A u, each iteration computes gamma = r.u, delta = w.u and r.r, then
//   beta = gamma / previous gamma, p.Ap = delta - beta^2 (previous p.Ap), alpha = gamma / p.Ap,
//   p = u + beta p, s = w + beta s (which is A p), x += alpha p, r -= alpha s.
// The halo of a part consists of the neighbours of its nodes in other parts. Each part also keeps r, s and u of its
// halo, and computes them from w of the halo. So parts exchange only w of their boundary nodes, and the three sums. If
// rounding errors may have caused p.Ap <= 0, A need not be indefinite, and the directions restart with beta = 0.
//
// The preconditioner may have a coarse space (coarse.h). Then u = D^-1 r + P y, where D is the diagonal of A. The
// columns of P are the rigid motions of aggregates (groups of nodes), y are their amplitudes, and B is the inverse of
// P^T A P. y is updated from w and not from r, so no part waits for the new r of other parts:
//   omega = P^T w,  psi = B omega,  turn = psi + beta turn,  y -= alpha turn
// An iteration then has two exchanges. First each part sends its section of omega to all parts, with the sums. Then it
// computes its rows of B omega and sends its section of psi to its neighbours. Initially y = B P^T b. With a coarse
// space, the rounding error of delta is a fraction of u.Du instead of gamma. u.Du can exceed gamma and is not computed,
// so the bound of recurrence.h can be too small. A very badly conditioned matrix is then reported as indefinite.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/solver/cg/recurrence.h"
#include "sim/solver/solver.h"

// Scalars that an iteration passes to the next one. gamma = r.u with u = M^-1 r; p is the search direction.
typedef struct ResidentScalars {
  // 1 / gamma = 1 / r.u and p.Ap of the last iteration; r.r at the start of the solve, and now
  real gamma_inverse, pAp, rr0, rr;
  double bound;  // the solve has converged if rr <= bound
  double doubt;  // bound of the rounding error of pAp
} ResidentScalars;

// Returns the power of two by which b and r are scaled. `largest` is the largest entry of b, which the scale brings
// near 1. Without the scale, squares of small residuals would underflow in float.
HOST_DEVICE real resident_scale(real largest) {
  const int bound = sizeof(real) == sizeof(float) ? 100 : 1000;  // larger exponents have no finite inverse
  int exponent = 0;
  frexp((double)largest, &exponent);
  exponent = exponent < -bound ? -bound : exponent > bound ? bound : exponent;
  return (real)ldexp(1.0, -exponent);
}

// Decides if the solve needs iterations. `largest` is the largest absolute entry of b. Returns SOLVER_CONVERGED if it
// is 0, SOLVER_BROKEN if it is not finite, else SOLVER_RUNNING.
HOST_DEVICE SolverEnd resident_begin(real largest) {
  if (!isfinite(largest)) return SOLVER_BROKEN;
  return largest == 0 ? SOLVER_CONVERGED : SOLVER_RUNNING;
}

// Decides, from sums = { r.u, w.u, r.r }, if iteration number `iteration` takes place. If so, returns SOLVER_RUNNING
// and sets *alpha and *beta; the caller must call resident_keep next. Otherwise returns the reason why the solve ends.
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

// Stores the scalars that resident_decide needs in the next iteration. It is a separate function, which runs after
// other threads have received alpha and beta from resident_decide.
HOST_DEVICE void resident_keep(ResidentScalars *z, const real sums[3], real beta) {
  z->gamma_inverse = 1 / sums[0];
  z->doubt = curvature_doubt(sums[0], beta, z->doubt);
}
