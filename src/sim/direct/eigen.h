// The lowest eigenvalues lambda of K x = lambda M x, for sparse symmetric matrices K and M in double. ARPACK's Lanczos
// method finds the largest eigenvalues of (K - sigma M)^-1 M, which belong to the lambda nearest to the shift sigma. A
// test shows that none is missing: a factorisation of K - s M has as many negative pivots as there are eigenvalues
// below s (Sylvester's law of inertia).
#pragma once
#include "sim/direct/factor.h"

// The eigenvalue problem K x = lambda M x. K is positive semidefinite, or nearly so. M is positive definite except for
// unknowns without mass. Such an unknown has a zero row in M, and a row in K with a single entry, on the diagonal.
typedef struct EigenProblem {
  // pattern of both matrices: upper triangle by columns; eigen_lowest overwrites its array `value`
  SymmetricColumns *columns;
  const double *K, *M;  // [entries], the values of both matrices
} EigenProblem;

// The lowest eigenvalues of a problem, with their eigenvectors.
typedef struct EigenResult {
  double *value;   // [count], the eigenvalues lambda, ascending
  double *vector;  // [count][n], the eigenvector x of each eigenvalue, with x.M x = 1
  // The shift sigma that was used, which is negative. An eigenvalue much smaller than |sigma| is 0 within rounding.
  double shift;
} EigenResult;

/// Computes the `count` lowest eigenvalues and their eigenvectors. The caller frees them with eigen_result_free. Fails
/// if ARPACK or CHOLMOD is absent, if there are too few unknowns, or if eigenvalues are still missing after repeated
/// searches.
bool eigen_lowest(const EigenProblem *problem, int count, EigenResult *result, Error *error);
void eigen_result_free(EigenResult *result);

/// Computes y = A x for a symmetric matrix A. `columns` has the pattern of A, values [entries] its entries.
void columns_multiply(const SymmetricColumns *columns, const double *values, const double *x, double *y);
