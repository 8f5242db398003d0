// Times the library CHOLMOD of SuiteSparse, for comparison with Pliant. The measured function of CHOLMOD converts
// triplets (row, column, value) to a sparse matrix, and sums the triplets of each entry. Paper 002 compares its method
// with the function sparse2 of SuiteSparse, which calls this conversion. The library is opened at run time, so Pliant
// does not depend on it.
#pragma once
#include "lab/lower/lower_pattern.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the reason why CHOLMOD is not available, as one clause. Returns NULL if it is available.
const char *cholmod_absence(void);

/// Builds the pattern of a lower triangle and its values from triplets (row, column, value), by CHOLMOD on one core.
/// The result equals that of Pliant's own method, lower_pattern_count. value [count] holds the values of the triplets.
/// The caller frees *values, the values of the matrix entries. *seconds gets the time of the conversion, s. Fails if
/// memory runs out, or if there are more triplets than an int can count.
bool cholmod_pattern(LowerPattern *pattern, const LowerTriplets *triplets, const double *value, double **values,
                     double *seconds, Error *error);

#ifdef __cplusplus
}
#endif
