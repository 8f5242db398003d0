// Scalars and decisions of the resident solver, common to CPU and GPU. The solver needs a matrix in parts: each node,
// with its row of the matrix, belongs to one part (part_layout.h). On a GPU, each multiprocessor keeps one part in its
// registers and shared memory. The whole solve is one kernel, in which the parts exchange data.
//
// The halo of a part consists of the neighbours of its nodes in other parts. r is the residual, u = M^-1 r with the
// preconditioner M, w = A u, and s = A p with the search direction p. Each part also updates r, s and u of its halo. So
// parts exchange only w of their boundary nodes, and the sums r.u, w.u and r.r. If p.Ap <= 0 may be due to rounding,
// the search directions restart with beta = 0 (recurrence.h).
//
// The preconditioner may have a coarse space (coarse.h). Then u = D^-1 r + P y, where D is the diagonal of A. The
// columns of P are the rigid motions of aggregates (groups of nodes), y are their amplitudes, and B is the inverse of
// P^T A P. Initially y = B P^T b. Then y = B P^T r is updated from w, so that no part waits for the new r of others:
//   omega = P^T w,  psi = B omega,  turn = psi + beta turn,  y -= alpha turn
// With a coarse space, an iteration has two exchanges. The first sends omega and the sums to all parts, the second
// sends psi to neighbouring parts. With a coarse space, the error bound of recurrence.h can be too small, so that a
// badly conditioned matrix may be reported as indefinite.
#pragma once
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/solver/cg/recurrence.h"
#include "sim/solver/solver.h"

// Scalars that an iteration passes to the next one. gamma = r.u, with u = M^-1 r; p is the search direction.
typedef struct ResidentScalars {
  // gamma_inverse, pAp: 1 / gamma and p.Ap of the last iteration. rr0: r.r at the start of the solve. rr: present r.r
  real gamma_inverse, pAp, rr0, rr;
  double bound;  // the solve has converged if rr <= bound
  double doubt;  // bound of the rounding error of pAp (recurrence.h)
} ResidentScalars;

// Returns the power of two by which b and r are multiplied, so that `largest` is near 1. `largest` is the largest
// absolute entry of b or, on the GPU, the norm of b if it is known. Without it, squares of small residuals could
// underflow.
HOST_DEVICE real resident_scale(real largest) {
  const int bound = sizeof(real) == sizeof(float) ? 100 : 1000;  // a scale with a larger exponent has no finite inverse
  int exponent = 0;
  frexp((double)largest, &exponent);
  exponent = exponent < -bound ? -bound : exponent > bound ? bound : exponent;
  return (real)ldexp(1.0, -exponent);
}

// Decides from `largest`, the largest absolute entry of b, if the solve needs iterations. Returns SOLVER_CONVERGED if
// it is 0, SOLVER_BROKEN if it is not finite, else SOLVER_RUNNING.
HOST_DEVICE SolverEnd resident_begin(real largest) {
  if (!isfinite(largest)) return SOLVER_BROKEN;
  return largest == 0 ? SOLVER_CONVERGED : SOLVER_RUNNING;
}

// Decides, from sums = { r.u, w.u, r.r } with the residual r, u = M^-1 r and w = A u, if iteration number `iteration`
// takes place. If so, sets *alpha and *beta and returns SOLVER_RUNNING; the caller must then call resident_keep. Else
// returns the reason why the solve ends.
HOST_DEVICE SolverEnd resident_decide(ResidentScalars *z, const real sums[3], int iteration, int iterations_max,
                                      double relative, real *alpha, real *beta) {
  const real gamma = sums[0], delta = sums[1];
  const bool first = iteration == 0;
  if (first) {
    z->rr0 = sums[2];
    z->bound = relative * relative * (double)z->rr0;
  }
  if (!isfinite(gamma + delta + sums[2])) return SOLVER_BROKEN;
  z->rr = sums[2];
  if (!first && (double)z->rr <= z->bound) return SOLVER_CONVERGED;
  if (iteration >= iterations_max) return SOLVER_OUT_OF_ITERATIONS;
  *beta = first ? (real)0 : gamma * z->gamma_inverse;
  z->pAp = first ? delta : delta - *beta * *beta * z->pAp;
  if (!(z->pAp > 0)) {
    if (!curvature_doubtful(z->pAp, delta, curvature_doubt(gamma, *beta, z->doubt))) return SOLVER_INDEFINITE;
    *beta = 0;
    z->pAp = delta;
  }
  *alpha = gamma / z->pAp;
  return isfinite(*alpha) ? SOLVER_RUNNING : SOLVER_BROKEN;
}

// Stores the scalars that resident_decide needs in the next iteration. The caller first passes alpha and beta to other
// threads, so that they wait less.
HOST_DEVICE void resident_keep(ResidentScalars *z, const real sums[3], real beta) {
  z->gamma_inverse = 1 / sums[0];
  z->doubt = curvature_doubt(sums[0], beta, z->doubt);
}
