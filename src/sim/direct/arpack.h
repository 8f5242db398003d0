// ARPACK's functions for eigenvalues of symmetric matrices, opened at run time, so that Pliant starts without it. The
// interface is that of arpack.h, which the build does not need.
#pragma once
#include "base/error.h"

typedef struct Arpack {
  void (*iterate)(int *ido, const char *bmat, int n, const char *which, int nev, double tol, double *resid, int ncv,
                  double *v, int ldv, int *iparam, int *ipntr, double *workd, double *workl, int lworkl, int *info);
  void (*extract)(int rvec, const char *howmny, const int *select, double *d, double *z, int ldz, double sigma,
                  const char *bmat, int n, const char *which, int nev, double tol, double *resid, int ncv, double *v,
                  int ldv, int *iparam, int *ipntr, double *workd, double *workl, int lworkl, int *info);
} Arpack;

/// Returns the reason why ARPACK is not available, as one clause with the package to install, or NULL.
const char *arpack_absence(void);

/// Returns the functions, or NULL with an error.
const Arpack *arpack(Error *error);
