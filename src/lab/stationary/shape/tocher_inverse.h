// The inverse of the matrix A of Tocher's plate triangle (plate_tocher.h) for one cell, in double on the host. A gives
// the nine unknowns of the triangle from the nine coefficients of its polynomial w.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Computes the size *h of cell e, the square root of twice its area, m, and the inverse [9][9] of A. A is taken in
/// coordinates relative to the centroid and divided by h; columns of the inverse that belong to slopes are then
/// multiplied by h. Returns false, with an inverse of zeros, if A is nearly singular: its smallest pivot is less than
/// 1e-9 of its largest.
bool tocher_inverse(const Space *space, int e, double *h, double inverse[81]);

#ifdef __cplusplus
}
#endif
