// Recursive bisection: halves a set of points across the longest side of its bounding box, then each half in the same
// way, and so on. So the points of a piece are close in space. Applied to the nodes of a mesh, bisection cuts nearly as
// few edges as a graph partitioner does, in much less time. All cores are used.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BISECT_FULLY = 31 };  // levels after which each piece is a single point

/// Halves the set of points X [count][3], then each half, and so on, `levels` times. Computes order [count]: the
/// indices of the points, one piece after the other, ascending within each piece. The result does not depend on the
/// number of threads. Fails if memory runs out, or if interrupted.
bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error);

/// Divides the points X [count][3] into part_count parts: part [count] gets the part of each point, from 0 to
/// part_count - 1. Sizes of parts differ by at most one point. part_count need not be a power of 2: for five parts, the
/// first bisection puts 2/5 of the points on one side and 3/5 on the other.
bool bisect_divide(const double (*X)[3], int count, int part_count, int *part, Error *error);

/// Describes the result of bisect_points, which has divided `count` points into 2^levels pieces. Returns the index in
/// `order` of the first point of piece number `piece`, counted from 0. Returns `count` for piece = 2^levels.
int bisect_start(int count, int levels, int piece);

#ifdef __cplusplus
}
#endif
