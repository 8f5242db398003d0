// Merges points at equal positions, such as corners of triangles in a file without shared vertices.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

// A point and its number, which the caller chooses.
typedef struct NumberedPoint {
  double X[3];
  int64_t number;
} NumberedPoint;

/// Makes one vertex of all points [count] at equal positions. Sorts `point` by position, so vertices are in this order.
/// X [count] receives the positions of the vertices, *vertex_count their number, and vertex [number] the vertex of the
/// point with each number. Fails if memory runs out.
bool merge_positions(NumberedPoint *point, int64_t count, double (*X)[3], int64_t *vertex, int64_t *vertex_count,
                     Error *error);
