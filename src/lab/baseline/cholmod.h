// Reference timing: SuiteSparse's CHOLMOD converts triplets to a matrix (the conversion inside sparse2, with which
// paper 002 compares). The library is opened at run time, so that Pliant does not depend on it.
#pragma once
#include "lab/lower/lower_pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the reason why CHOLMOD is not available, as one clause, or NULL if it can be opened.
const char *cholmod_absence(void);

/// As lower_pattern_count, but by CHOLMOD on one core; `seconds` is the time of the conversion. Fails if memory runs
/// out, or if there are more triplets than CHOLMOD's ints count.
bool cholmod_pattern(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                     double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
