// Recursive bisection: halves a set of points across the longest side of its bounding box, then each half, and so on.
// So the points of a piece are close in space. The pieces of a mesh have nearly as few neighbours in other pieces as
// with a graph partitioner, in much less time. All cores are used.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BISECT_FULLY = 31 };  // number of levels after which every piece is a single point

/// Computes order [count]: the numbers of the points X [count][3], sorted by their piece after `levels` bisections and,
/// within a piece, in ascending order. The result does not depend on the number of threads. Fails if memory runs out,
/// or if interrupted.
bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error);

/// Divides points into part_count parts: part [count] gets the part of each point, from 0 to part_count - 1. Sizes
/// differ by at most one point. Five parts are made by a bisection with 2/5 of the points on one side and 3/5 on the
/// other, and so on.
bool bisect_divide(const double (*X)[3], int count, int part_count, int *part, Error *error);

/// Returns the index in `order` of the first point of piece number `piece`, where `count` points are divided into
/// 2^levels pieces; returns `count` for piece = 2^levels.
int bisect_start(int count, int levels, int piece);

#ifdef __cplusplus
}
#endif
