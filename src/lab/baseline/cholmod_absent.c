// Replaces cholmod.c (see cholmod.h) if the build finds no header of CHOLMOD. Its functions report that CHOLMOD is not
// available.
#include "lab/baseline/cholmod.h"

const char *cholmod_absence(void) {
  return "the build found no header of CHOLMOD (Debian: libsuitesparse-dev)";
}

bool cholmod_pattern(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                     double *seconds, Error *error) {
  (void)pattern, (void)triplets, (void)value, (void)values, (void)seconds;
  return error_set(error, "%s", cholmod_absence());
}
