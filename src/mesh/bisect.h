// Halves points repeatedly, each time across the longest side of their bounding box, so that points of a piece are
// close in space. Parts have nearly as few neighbours as those of a graph partitioner. It is fast for any number of
// points, on all cores.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BISECT_FULLY = 31 };  // halvings until pieces are single points

/// order [count]: numbers of the points X [count][3] after `levels` halvings; points of one piece ascend by number. The
/// result does not depend on the number of threads. Fails if memory runs out, or if interrupted.
bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error);

/// part [count]: the piece of each point, out of `part_count` pieces of equal sizes, or one point more. Bisects as
/// above, but cuts an odd number of pieces in proportion.
bool bisect_divide(const double (*X)[3], int count, int part_count, int *part, Error *error);

/// Index of the first of `count` points in piece `piece` of 2^levels; for piece 2^levels, the end.
int bisect_start(int count, int levels, int piece);

#ifdef __cplusplus
}
#endif
