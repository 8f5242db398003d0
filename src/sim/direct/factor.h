// Factors of a sparse symmetric matrix in double, by SuiteSparse's CHOLMOD: L L^T, or L D L^T of an indefinite matrix.
// The library is opened at run time, so Pliant starts without it. Only the build needs its header.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct Factor Factor;

// The upper triangle of a symmetric matrix by columns.
typedef struct SymmetricColumns {
  int64_t n;
  int64_t *start;  // [n + 1], offsets into row
  int64_t *row;    // [start[n]], ascending in each column, at most the column's number
  double *value;   // [start[n]]
} SymmetricColumns;

// Result of a factorisation.
typedef struct FactorReport {
  int64_t negative;  // number of negative pivots, which is that of negative eigenvalues
  bool shifted;      // a pivot was zero: a small multiple of the identity was added
} FactorReport;

/// Returns the reason why CHOLMOD is not available, as one clause with the package to install, or NULL.
const char *factor_absence(void);

/// Chooses an order of elimination for the pattern and analyses it. The pattern is borrowed until factor_destroy, and
/// may get other values. Returns NULL if CHOLMOD is absent or memory runs out.
Factor *factor_create(const SymmetricColumns *A, Error *error);
void factor_destroy(Factor *factor);  // accepts NULL

/// Factorises the present values. L D L^T is without pivoting, so its solutions may need refinement. Fails if memory
/// runs out.
bool factor_compute(Factor *factor, FactorReport *report, Error *error);

/// Solves A x = b with the last factor; b and x hold [n]. Fails if memory runs out.
bool factor_solve(Factor *factor, const double *b, double *x, Error *error);

/// Returns the number of entries of L.
double factor_entries(const Factor *factor);
