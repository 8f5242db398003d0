// Calls the library of a factorisation (factor.h).
#include "sim/direct/factor.h"

#include <stddef.h>

Factor *factor_create(const FactorLibrary *library, const SymmetricColumns *A, Error *error) {
  const char *absence = library->absence();
  if (absence) {
    error_set(error, "the direct solver cannot be used: %s", absence);
    return NULL;
  }
  return library->create(A, error);
}

void factor_destroy(Factor *factor) {
  if (factor) factor->library->destroy(factor);
}

bool factor_compute(Factor *factor, FactorReport *report, Error *error) {
  return factor->library->compute(factor, report, error);
}

bool factor_solve(Factor *factor, const double *b, double *x, Error *error) {
  return factor->library->solve(factor, b, x, error);
}

double factor_entries(const Factor *factor) {
  return factor->library->entries(factor);
}
