// Two points of the surface, between which the window shows the distance.
#pragma once
#include <stdint.h>

enum { MEASURE_POINTS = 2 };

// Points are stored by numbers of nodes in the mesh file, which cuts do not change.
typedef struct Measure {
  int count;                                // number of points so far
  int64_t tag[MEASURE_POINTS][3];           // [count], numbers of the nodes of the point's triangle
  double barycentric[MEASURE_POINTS][3];    // [count], barycentric coordinates of the point in this triangle
  double point[MEASURE_POINTS][3], length;  // m, present positions, and their distance, as the picture shows them
} Measure;
