// The inverse of the matrix A of plate_tocher.h for a cell, in double on the host.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes h, the square root of twice the area, m, and the inverse [9][9] of A in coordinates relative to the
/// centroid and divided by h, with the columns for slopes multiplied by h. Returns false, with an inverse of zeros, if
/// A is nearly singular: its smallest pivot is less than 1e-9 of its largest.
bool tocher_inverse(const Space *space, int e, double *h, double inverse[81]);

#ifdef __cplusplus
}
#endif
