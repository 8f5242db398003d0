// Factorisation by CHOLMOD (factor.h). This file calls CHOLMOD's functions with 64-bit indices, since a factor may have
// more than 2^31 entries.
#include "sim/direct/factor.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/array.h"
#include "base/library.h"

// The functions of CHOLMOD that this file calls.
typedef struct Library {
  __typeof__(&cholmod_l_start) start;
  __typeof__(&cholmod_l_finish) finish;
  __typeof__(&cholmod_l_analyze) analyze;
  __typeof__(&cholmod_l_analyze_p) analyze_in_order;
  __typeof__(&cholmod_l_change_factor) change_factor;
  __typeof__(&cholmod_l_factorize_p) factorize;
  __typeof__(&cholmod_l_solve2) solve;
  __typeof__(&cholmod_l_free_factor) free_factor;
  __typeof__(&cholmod_l_free_dense) free_dense;
  const char *absence;
} Library;

static Library library;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_library(void) {
  static const LibraryFunction functions[] = {
    { "cholmod_l_start", offsetof(Library, start) },
    { "cholmod_l_finish", offsetof(Library, finish) },
    { "cholmod_l_analyze", offsetof(Library, analyze) },
    { "cholmod_l_analyze_p", offsetof(Library, analyze_in_order) },
    { "cholmod_l_change_factor", offsetof(Library, change_factor) },
    { "cholmod_l_factorize_p", offsetof(Library, factorize) },
    { "cholmod_l_solve2", offsetof(Library, solve) },
    { "cholmod_l_free_factor", offsetof(Library, free_factor) },
    { "cholmod_l_free_dense", offsetof(Library, free_dense) },
  };
  char name[32];
  snprintf(name, sizeof name, "libcholmod.so.%d", CHOLMOD_MAIN_VERSION);
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) library.absence = "it needs SuiteSparse's CHOLMOD, which is not installed (Debian: libsuitesparse-dev)";
  if (handle && library_functions(handle, functions, sizeof functions / sizeof *functions, &library))
    library.absence = "the installed CHOLMOD lacks a required function (install a newer SuiteSparse)";
}

static const char *absence(void) {
  pthread_once(&opened, open_library);
  return library.absence;
}

// A factorisation by CHOLMOD. Functions that are called through the table at the end of this file get its first member.
typedef struct CholmodFactor {
  Factor base;
  cholmod_common common;
  cholmod_sparse A;  // the matrix in CHOLMOD's form; its arrays belong to the caller of factor_create
  // definite: factor L L^T; indefinite: factor L D L^T, which is created when a matrix first needs it
  cholmod_factor *definite, *indefinite;
  cholmod_factor *last;        // the factor that was computed last: `definite` or `indefinite`
  cholmod_dense *x, *work[2];  // arrays that CHOLMOD keeps between solves
} CholmodFactor;

static bool failed(const CholmodFactor *f, const char *step, Error *error) {
  const int status = f->common.status;
  if (status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE)
    return error_set(error, "not enough memory for the factor of the matrix; choose another --solver");
  return error_set(error, "CHOLMOD's %s failed with status %d", step, status);
}

static void destroy(Factor *factor) {
  CholmodFactor *f = (CholmodFactor *)factor;
  library.free_factor(&f->definite, &f->common);
  library.free_factor(&f->indefinite, &f->common);
  library.free_dense(&f->x, &f->common);
  for (int k = 0; k < 2; k++) library.free_dense(&f->work[k], &f->common);
  library.finish(&f->common);
  free(f);
}

static Factor *create(const SymmetricColumns *A, Error *error) {
  CholmodFactor *f = array_new(1, sizeof *f, "the factor", error);
  if (!f) return NULL;
  f->base.library = &factor_cholmod;
  const size_t n = (size_t)A->n;
  library.start(&f->common);
  f->common.print = 0;
  f->A = (cholmod_sparse){ .nrow = n,
                           .ncol = n,
                           .nzmax = (size_t)A->start[A->n],
                           .p = A->start,
                           .i = A->row,
                           .x = A->value,
                           .stype = 1,
                           .itype = CHOLMOD_LONG,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE,
                           .sorted = 1,
                           .packed = 1 };
  f->definite = library.analyze(&f->A, &f->common);

  // Allocate the factor now, so that a lack of memory is reported before the first solve.
  if (f->definite) {
    const int super = f->definite->is_super;
    if (library.change_factor(CHOLMOD_REAL, super, super, 1, 1, f->definite, &f->common)) return &f->base;
  }
  failed(f, "analysis", error);
  destroy(&f->base);
  return NULL;
}

// Returns the number of negative pivots in the factor L D L^T. CHOLMOD stores D in place of the diagonal of L.
static int64_t count_negative(const cholmod_factor *L) {
  int64_t count = 0;
  const double *x = L->x;
  for (size_t j = 0; j < L->n && !L->is_ll && !L->is_super; j++) count += x[((const int64_t *)L->p)[j]] < 0;
  return count;
}

// Computes the factor L D L^T of A + shift I, with the order of elimination that the analysis for L L^T has chosen.
static bool compute_indefinite(CholmodFactor *f, double shift, Error *error) {
  cholmod_common *c = &f->common;
  if (!f->indefinite) {
    const int supernodal = c->supernodal, methods = c->nmethods, ordering = c->method[0].ordering;
    c->supernodal = CHOLMOD_SIMPLICIAL;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_GIVEN;
    f->indefinite = library.analyze_in_order(&f->A, f->definite->Perm, NULL, 0, c);
    c->supernodal = supernodal;
    c->nmethods = methods;
    c->method[0].ordering = ordering;
    if (!f->indefinite) return failed(f, "analysis", error);
  }
  f->last = f->indefinite;
  double beta[2] = { shift, 0 };
  return library.factorize(&f->A, beta, NULL, 0, f->indefinite, c) || failed(f, "factorisation", error);
}

// Returns the mean absolute value of the diagonal entries of A.
static double mean_diagonal(const cholmod_sparse *A) {
  const int64_t *start = A->p;
  const double *x = A->x;
  double sum = 0;
  for (size_t j = 0; j < A->ncol; j++) sum += fabs(x[start[j + 1] - 1]);
  return A->ncol > 0 ? sum / (double)A->ncol : 0;
}

static bool compute(Factor *factor, FactorReport *report, Error *error) {
  CholmodFactor *f = (CholmodFactor *)factor;
  const double SHIFT = 1e-10;  // if a pivot is 0, SHIFT times the mean diagonal entry is added to the diagonal
  double none[2] = { 0, 0 };
  *report = (FactorReport){ 0 };
  f->last = f->definite;
  if (!library.factorize(&f->A, none, NULL, 0, f->definite, &f->common)) return failed(f, "factorisation", error);
  if (f->common.status != CHOLMOD_NOT_POSDEF) {
    report->negative = count_negative(f->definite);
    return true;
  }

  // L L^T has ended at a pivot that is 0 or negative (CHOLMOD_NOT_POSDEF). L D L^T ends only at a pivot that is 0.
  if (!compute_indefinite(f, 0, error)) return false;
  report->shifted = f->common.status == CHOLMOD_NOT_POSDEF;
  if (report->shifted && !compute_indefinite(f, SHIFT * mean_diagonal(&f->A), error)) return false;
  report->negative = count_negative(f->indefinite);
  return true;
}

static bool solve(Factor *factor, const double *b, double *x, Error *error) {
  CholmodFactor *f = (CholmodFactor *)factor;
  const size_t n = f->A.ncol;
  cholmod_dense right = { .nrow = n,
                          .ncol = 1,
                          .nzmax = n,
                          .d = n,
                          .x = (void *)(uintptr_t)b,  // the cast removes const; CHOLMOD does not change b
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE };
  if (!library.solve(CHOLMOD_A, f->last, &right, NULL, &f->x, NULL, &f->work[0], &f->work[1], &f->common))
    return failed(f, "solve", error);
  memcpy(x, f->x->x, sizeof *x * n);
  return true;
}

static double entries(const Factor *factor) {
  return ((const CholmodFactor *)factor)->common.lnz;
}

const FactorLibrary factor_cholmod = {
  .absence = absence, .create = create, .destroy = destroy, .compute = compute, .solve = solve, .entries = entries
};
