// Replaces factor_cholmod.c if CHOLMOD's header was not found when Pliant was built.
#include "sim/direct/factor.h"

static const char *absence(void) {
  return "it needs SuiteSparse's CHOLMOD, whose header was absent when Pliant was built (Debian: libsuitesparse-dev)";
}

const FactorLibrary factor_cholmod = { .absence = absence };
