// A reference timing. The library CHOLMOD of SuiteSparse converts triplets (row, column, value) to a sparse matrix, and
// sums the triplets of each entry. Paper 002 compares its own code with SuiteSparse's function sparse2, which makes
// this conversion. The library is opened at run time, so Pliant does not depend on it.
#pragma once
#include "lab/lower/lower_pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the reason why CHOLMOD is not available, as one clause. Returns NULL if it is available.
const char *cholmod_absence(void);

/// Builds the pattern of the lower triangle and its values from triplets, as lower_pattern_count does, but by CHOLMOD
/// and on one core. *seconds gets the time of the conversion, s. Fails if memory runs out, or if there are more
/// triplets than an int can count.
bool cholmod_pattern(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                     double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
