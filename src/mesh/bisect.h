// Recursive bisection: divides a set of points into halves repeatedly, each time across the longest side of the
// bounding box. Points of one piece are then close in space. Pieces of a mesh have nearly as few neighbours in other
// pieces as with a graph partitioner, and bisection is much faster. It uses all cores.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BISECT_FULLY = 31 };  // number of levels after which every piece is a single point

/// Computes order [count]: the numbers of the points X [count][3], sorted by piece after `levels` bisections. Within a
/// piece numbers are ascending. The result does not depend on the number of threads. Fails if memory runs out, or if
/// interrupted.
bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error);

/// Computes part [count], the piece of each point, from 0 to part_count - 1. The sizes of pieces differ by at most one
/// point. An odd number of pieces is bisected into two unequal sets of points, in proportion to their numbers of
/// pieces.
bool bisect_divide(const double (*X)[3], int count, int part_count, int *part, Error *error);

/// Returns the index in `order` of the first point of a piece, if `count` points are divided into 2^levels pieces. For
/// piece 2^levels it returns `count`.
int bisect_start(int count, int levels, int piece);

#ifdef __cplusplus
}
#endif
