// Two points of the surface, between which the window shows the distance.
#pragma once
#include <stdint.h>

enum { MEASURE_POINTS = 2 };

// Each point is stored by the node numbers of its triangle in the mesh file, because cuts do not change these numbers.
typedef struct Measure {
  int count;                                // number of points that the user has set
  int64_t tag[MEASURE_POINTS][3];           // [count], numbers of the nodes of the point's triangle
  double barycentric[MEASURE_POINTS][3];    // [count], barycentric coordinates of the point in this triangle
  double point[MEASURE_POINTS][3], length;  // m, positions of the points in the picture, and their distance
} Measure;
