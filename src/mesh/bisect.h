// Recursive bisection: divides a set of points into two halves, each half into two halves again, and so on, each time
// across the longest side of the bounding box. Points of one piece are then close in space. If a mesh is divided in
// this way, its pieces have nearly as few neighbours in other pieces as with a graph partitioner, and bisection is much
// faster. It uses all cores.
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BISECT_FULLY = 31 };  // number of levels after which every piece is a single point

/// Computes order [count]: the numbers of the points X [count][3], sorted by the piece to which they belong after
/// `levels` bisections. Within a piece the numbers ascend. The result does not depend on the number of threads. Fails
/// if memory runs out, or if interrupted.
bool bisect_points(const double (*X)[3], int count, int levels, int *order, Error *error);

/// Divides points into part_count pieces: part [count] gets the piece of each point, from 0 to part_count - 1. The
/// sizes of pieces differ by at most one point. An odd number of pieces is bisected in proportion: for example 5 pieces
/// into 2 and 3, with 2/5 and 3/5 of the points.
bool bisect_divide(const double (*X)[3], int count, int part_count, int *part, Error *error);

/// Returns the index in `order` of the first point of piece number `piece`, if `count` points are divided into 2^levels
/// pieces. For piece = 2^levels it returns `count`.
int bisect_start(int count, int levels, int piece);

#ifdef __cplusplus
}
#endif
