// The inverse of A of plate_tocher.h for a cell, in double on the host.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `h`, the root of twice the area, m, and the inverse [9][9] in coordinates from the centroid over h, columns of
/// slopes times h. False where A is singular or all but: its smallest pivot is less than 1e-9 of its largest; the
/// inverse is then zero.
bool tocher_inverse(const Space *space, int e, double *h, double inverse[81]);

#ifdef __cplusplus
}
#endif
