// Halves points again and again, each time across the longest side of their box: what stands together in the result is
// near in space. Nearly as good as a division of the graph where parts are to have few neighbours, and quick for any
// number of points, over all cores.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BISECT_FULLY = 31 };  // halvings that leave single points

/// order [count]: numbers of the points X [count][3] after `levels` halvings; points of one piece ascend by number. The
/// same whatever the number of threads. Fails for lack of memory, or interrupted.
bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error);

/// part [count]: in which of `part_count` pieces each point is, all of them of as many points, or one more: as above,
/// but what will be an odd number of pieces is cut in that proportion.
bool bisect_divide(const double (*X)[3], int count, int part_count, int *part, Error *error);

/// Where piece `piece` of the 2^levels begins, of `count` points; piece 2^levels: the end.
int bisect_start(int count, int levels, int piece);

#ifdef __cplusplus
}
#endif
