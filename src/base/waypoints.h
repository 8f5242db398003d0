// Linear interpolation of values that are given at several times, for paths and angles.
#pragma once

/// Interpolates `width` values linearly at `time`, s. Each row of points [count][1 + width] is a time, s, and its
/// values; times ascend. Before the first and after the last time the values are constant.
static inline void waypoints_values(const double *points, int width, int count, double time, double *values) {
  const int row = 1 + width;
  int k = 1;
  while (k < count - 1 && points[row * k] < time) k++;
  const double *from = points + row * (count > 1 ? k - 1 : 0), *to = points + row * (count > 1 ? k : 0);
  double along = to[0] > from[0] ? (time - from[0]) / (to[0] - from[0]) : 0;
  along = along < 0 ? 0 : along > 1 ? 1 : along;
  for (int i = 0; i < width; i++) values[i] = from[1 + i] + along * (to[1 + i] - from[1 + i]);
}

/// As waypoints_values, for a path [count][4] of times and positions.
static inline void waypoints_at(const double (*points)[4], int count, double time, double position[3]) {
  waypoints_values(points[0], 3, count, time, position);
}
