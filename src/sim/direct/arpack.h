// Two functions of the library ARPACK for eigenvalues of symmetric matrices. The library is opened at run time, so
// Pliant starts even if it is absent. The functions are declared here as in ARPACK's header, also named arpack.h, which
// the build does not need.
#pragma once
#include "base/error.h"

// iterate is ARPACK's dsaupd_c, the Lanczos iteration. extract is dseupd_c, which computes eigenvalues and vectors
// after the iteration has finished.
typedef struct Arpack {
  void (*iterate)(int *ido, const char *bmat, int n, const char *which, int nev, double tol, double *resid, int ncv,
                  double *v, int ldv, int *iparam, int *ipntr, double *workd, double *workl, int lworkl, int *info);
  void (*extract)(int rvec, const char *howmny, const int *select, double *d, double *z, int ldz, double sigma,
                  const char *bmat, int n, const char *which, int nev, double tol, double *resid, int ncv, double *v,
                  int ldv, int *iparam, int *ipntr, double *workd, double *workl, int lworkl, int *info);
} Arpack;

/// Returns the reason why ARPACK is not available, as one clause with the package to install, or NULL.
const char *arpack_absence(void);

/// Returns the functions, or NULL with an error if ARPACK is not available.
const Arpack *arpack(Error *error);
