// Replaces factor.c if CHOLMOD's header was not found when Pliant was built. The functions that factorise and solve
// fail with a message.
#include "sim/direct/factor.h"

#include <stddef.h>

const char *factor_absence(void) {
  return "it needs SuiteSparse's CHOLMOD, whose header was absent when Pliant was built (Debian: libsuitesparse-dev)";
}

Factor *factor_create(const SymmetricColumns *A, Error *error) {
  (void)A;
  error_set(error, "the direct solver cannot be used: %s", factor_absence());
  return NULL;
}

void factor_destroy(Factor *factor) {
  (void)factor;
}

bool factor_compute(Factor *factor, FactorReport *report, Error *error) {
  (void)factor, (void)report;
  return error_set(error, "the direct solver cannot be used: %s", factor_absence());
}

bool factor_solve(Factor *factor, const double *b, double *x, Error *error) {
  (void)factor, (void)b, (void)x;
  return error_set(error, "the direct solver cannot be used: %s", factor_absence());
}

double factor_entries(const Factor *factor) {
  (void)factor;
  return 0;
}
