// A reference timing: CHOLMOD of SuiteSparse converts triplets (row, column, value) to a sparse matrix. Its function
// sparse2, with which paper 002 compares, contains this conversion. The library is opened at run time, so Pliant does
// not depend on it.
#pragma once
#include "lab/lower/lower_pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the reason why CHOLMOD is not available, as one clause, or NULL if it can be opened.
const char *cholmod_absence(void);

/// As lower_pattern_count, but computed by CHOLMOD on one core. *seconds gets the time of the conversion. Fails if
/// memory runs out, or if there are more triplets than an int can count.
bool cholmod_pattern(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                     double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
