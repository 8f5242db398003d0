// Recursive bisection: halves a set of points across the longest side of its bounding box, then each half in the same
// way, and so on. So the points of a piece are close in space. Applied to the nodes of a mesh, bisection leaves nearly
// as few edges between pieces as a graph partitioner, in much less time. All cores are used.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BISECT_FULLY = 31 };  // number of levels after which every piece is a single point

/// Halves the set of points X [count][3], then each half, and so on, `levels` times. Computes order [count], the
/// indices of the points, sorted by the resulting pieces. Within a piece, indices ascend. The result does not depend on
/// the number of threads. Fails if memory runs out, or if interrupted.
bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error);

/// Divides the points X [count][3] into part_count parts: part [count] gets the part of each point, from 0 to
/// part_count - 1. Sizes of parts differ by at most one point. For five parts, the first bisection puts 2/5 of the
/// points on one side and 3/5 on the other.
bool bisect_divide(const double (*X)[3], int count, int part_count, int *part, Error *error);

/// bisect_points has halved the points `levels` times, into pieces 0 to 2^levels - 1. Returns the index in `order` of
/// the first point of piece number `piece`. Returns `count` for piece = 2^levels.
int bisect_start(int count, int levels, int piece);

#ifdef __cplusplus
}
#endif
