// Factorisation of a sparse symmetric matrix in double, by a library: L L^T or L D L^T. A library is opened at run
// time, so Pliant starts even if it is not installed. The build needs only its header.
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

// A library that factorises matrices. Its functions do the work of the functions below, which have the same names.
typedef struct FactorLibrary {
  /// Returns the reason why the library cannot be used, as one clause with the remedy; NULL if it can be used.
  const char *(*absence)(void);
  Factor *(*create)(const SymmetricColumns *A, Error *error);
  void (*destroy)(Factor *factor);
  bool (*compute)(Factor *factor, FactorReport *report, Error *error);
  bool (*solve)(Factor *factor, const double *b, double *x, Error *error);
  double (*entries)(const Factor *factor);
} FactorLibrary;

extern const FactorLibrary factor_cholmod;  // CHOLMOD of SuiteSparse, on the CPU
extern const FactorLibrary factor_cudss;    // cuDSS of NVIDIA, on the GPU that the calling thread uses

// Each library's own struct begins with this one.
struct Factor {
  const FactorLibrary *library;
};

/// Analyses the pattern of A and chooses an order of elimination. A must stay valid until factor_destroy; its values
/// may change, but its pattern must not. Returns NULL if the library is absent or memory runs out.
Factor *factor_create(const FactorLibrary *library, const SymmetricColumns *A, Error *error);
void factor_destroy(Factor *factor);  // accepts NULL

/// Factorises the matrix with its present values. L D L^T is computed without pivoting, or with little of it, so
/// solutions with this factor may need iterative refinement. Fails if memory runs out.
bool factor_compute(Factor *factor, FactorReport *report, Error *error);

/// Solves A x = b, both [n], with the factor that was computed last. Fails if memory runs out.
bool factor_solve(Factor *factor, const double *b, double *x, Error *error);

/// Returns the number of entries of L, the triangular factor.
double factor_entries(const Factor *factor);
