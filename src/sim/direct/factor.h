// Factorisation of a sparse symmetric matrix in double, by the library CHOLMOD of SuiteSparse: L L^T if the matrix is
// positive definite, else L D L^T. The library is opened at run time, so Pliant starts even if it is not installed. The
// build needs only its header.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

// A factorisation: the pattern of a matrix and its last factor.
typedef struct Factor Factor;

// The upper triangle of a symmetric matrix by columns.
typedef struct SymmetricColumns {
  int64_t n;       // number of rows and of columns
  int64_t *start;  // [n + 1], index in `row` and `value` of each column's first entry
  // [start[n]], the row of each entry; rows ascend in each column and are at most the column's number
  int64_t *row;
  double *value;  // [start[n]], value of each entry
} SymmetricColumns;

// Result of a factorisation.
typedef struct FactorReport {
  int64_t negative;  // number of negative pivots, which equals the number of negative eigenvalues
  // true if a pivot was 0; the factor is then that of the matrix plus a small multiple of the identity
  bool shifted;
} FactorReport;

/// Returns the reason why CHOLMOD cannot be used, as one clause with the package to install; NULL if it can be used.
const char *factor_absence(void);

/// Analyses the pattern of A and chooses an order of elimination. A must stay valid until factor_destroy; its values
/// may change, but its pattern must not. Returns NULL if CHOLMOD is absent or memory runs out.
Factor *factor_create(const SymmetricColumns *A, Error *error);
void factor_destroy(Factor *factor);  // accepts NULL

/// Factorises the matrix with its present values. L D L^T is computed without pivoting, so solutions with this factor
/// may need iterative refinement. Fails if memory runs out.
bool factor_compute(Factor *factor, FactorReport *report, Error *error);

/// Solves A x = b, both [n], with the factor that was computed last. Fails if memory runs out.
bool factor_solve(Factor *factor, const double *b, double *x, Error *error);

/// Returns the number of entries of L, the triangular factor.
double factor_entries(const Factor *factor);
