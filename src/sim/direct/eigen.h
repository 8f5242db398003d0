// The lowest eigenvalues lambda of K x = lambda M x, for sparse symmetric matrices K and M in double. ARPACK's Lanczos
// method finds the largest eigenvalues of (K - sigma M)^-1 M, whose lambda are nearest to the shift sigma. A count of
// negative pivots of K - s M gives the number of eigenvalues below s (Sylvester's law of inertia), which proves that
// none is missing.
#pragma once
#include "sim/direct/factor.h"

// The problem. Both matrices have the pattern of `columns`. K is positive semidefinite, or nearly so. M is positive
// definite, except for unknowns without mass: their rows of M are zero, and their rows of K have a single entry, on the
// diagonal.
typedef struct EigenProblem {
  SymmetricColumns *columns;  // its values are overwritten
  const double *K, *M;        // [entries], the values of both matrices
} EigenProblem;

typedef struct EigenResult {
  double *value;   // [count], ascending
  double *vector;  // [count][n], with x.M x = 1
  // sigma, which is negative. Eigenvalues that are much smaller than |sigma| are zero within rounding.
  double shift;
} EigenResult;

/// Computes the `count` lowest eigenvalues and their vectors. The caller releases them with eigen_result_free. Fails if
/// a library is absent, if there are too few unknowns, or if eigenvalues are still missing after repeated searches.
bool eigen_lowest(const EigenProblem *problem, int count, EigenResult *result, Error *error);
void eigen_result_free(EigenResult *result);

/// Computes y = A x for the matrix A with these values [entries] and the pattern of `columns`.
void columns_multiply(const SymmetricColumns *columns, const double *values, const double *x, double *y);
