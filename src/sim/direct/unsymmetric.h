// Solves (A + N) x = b with the factor of a symmetric matrix A. N is the antisymmetric part of a tangent, which the
// factor leaves out. Example: the tangent of a pressure on faces with a free edge (force/rows/pressure.h). Without N,
// Newton's method would converge only linearly.
//
// The method is GMRES (Saad and Schultz 1986) with the factor as the preconditioner, applied from the right. N has few
// columns that are not zero, so a few iterations suffice. Sums have a fixed order.
#pragma once
#include "sim/direct/factor.h"
#include "sim/operator/operator.h"

typedef struct UnsymmetricSystem {
  Factor *factor;            // the factor of A; borrowed
  const OperatorTerm *term;  // its function `antisymmetric` multiplies by N; borrowed
  const uint8_t *fixed;      // [n], 1 for a fixed unknown: its x stays zero, and its equation is ignored
  int n;                     // number of unknowns
} UnsymmetricSystem;

/// Corrects a solution x [n] of A x = b until the norm of the residual b - (A + N) x is at most `bound`, or stops
/// decreasing. r [n]: on entry b - A x with 0 for fixed unknowns, on return the residual b - (A + N) x. *norm receives
/// the norm of r. *iterations grows by the number of solutions with the factor. Does nothing else if the term has no
/// antisymmetric part. Fails if memory runs out.
bool unsymmetric_correct(const UnsymmetricSystem *system, double bound, double *r, double *x, double *norm,
                         int *iterations, Error *error);

/// Solves (A + N) x = b, to a residual of 1e-10 times the norm of b. b and x are [n], and b is 0 for fixed unknowns.
/// The residual b - A x is assumed to be zero after the solution with the factor. Fails if memory runs out.
bool unsymmetric_solve(const UnsymmetricSystem *system, const double *b, double *x, Error *error);
