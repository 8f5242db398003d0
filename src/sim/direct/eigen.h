// The lowest eigenvalues of K x = lambda M x, for sparse symmetric matrices in double, by ARPACK's Lanczos method on
// (K - sigma M)^-1 M. Counts of negative pivots (Sylvester's law of inertia) prove that no eigenvalue is missing.
#pragma once
#include "sim/direct/factor.h"

// Both matrices have the pattern of `columns`. K is positive semidefinite, or nearly so. M is positive definite, except
// for rows of zeros, at which K has a single entry, on the diagonal.
typedef struct EigenProblem {
  SymmetricColumns *columns;  // its values are overwritten
  const double *K, *M;        // [entries]
} EigenProblem;

typedef struct EigenResult {
  double *value;   // [count], ascending
  double *vector;  // [count][n], with x.M x = 1
  double shift;    // sigma, negative; eigenvalues that are small against it are zero within rounding
} EigenResult;

/// Computes the `count` lowest eigenvalues and their vectors, which eigen_result_free releases. Fails if a library is
/// absent, if there are too few unknowns, or if eigenvalues are missing after repeated searches.
bool eigen_lowest(const EigenProblem *problem, int count, EigenResult *result, Error *error);
void eigen_result_free(EigenResult *result);

/// Computes y = A x for values [entries] on the pattern of `columns`.
void columns_multiply(const SymmetricColumns *columns, const double *values, const double *x, double *y);
