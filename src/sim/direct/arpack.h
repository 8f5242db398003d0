// Two functions of the library ARPACK for eigenvalues of symmetric matrices. The library is opened at run time, so
// Pliant starts even if it is not installed. The build needs no header of ARPACK: this file declares the functions.
#pragma once
#include "base/error.h"

// Functions of ARPACK. iterate is dsaupd_c, the Lanczos iteration. extract is dseupd_c, which computes eigenvalues and
// eigenvectors after the iteration.
typedef struct Arpack {
  void (*iterate)(int *ido, const char *bmat, int n, const char *which, int nev, double tol, double *resid, int ncv,
                  double *v, int ldv, int *iparam, int *ipntr, double *workd, double *workl, int lworkl, int *info);
  void (*extract)(int rvec, const char *howmny, const int *select, double *d, double *z, int ldz, double sigma,
                  const char *bmat, int n, const char *which, int nev, double tol, double *resid, int ncv, double *v,
                  int ldv, int *iparam, int *ipntr, double *workd, double *workl, int lworkl, int *info);
} Arpack;

/// Returns the reason why ARPACK cannot be used, as one clause with the package to install; NULL if it can be used.
const char *arpack_absence(void);

/// Returns the functions, or NULL with an error if ARPACK is not available.
const Arpack *arpack(Error *error);
