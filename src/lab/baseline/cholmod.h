// What SuiteSparse's CHOLMOD takes to make a matrix of triplets: the conversion behind sparse2, with which paper 002
// compares. To be measured against, nothing else. The library is opened when asked for, so that nobody needs it to run
// Pliant.
#pragma once
#include "lab/lower/lower_pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Why there is no baseline: one clause, or NULL where the library can be opened.
const char *cholmod_absence(void);

/// The same as lower_pattern_count, by CHOLMOD on one core; `seconds` is what the conversion took. Fails for lack of
/// memory, or where there are more triplets than its ints count.
bool cholmod_pattern(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                     double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
