// A path of times and positions, linear in between.
#pragma once

/// Computes the position at a time: `points` [count][4] are time, s, and x, y, z, with ascending times. Before the
/// first point and after the last one, the position is that point's.
static inline void waypoints_at(const double (*points)[4], int count, double time, double position[3]) {
  int k = 1;
  while (k < count - 1 && points[k][0] < time) k++;
  const double *from = points[count > 1 ? k - 1 : 0], *to = points[count > 1 ? k : 0];
  double along = to[0] > from[0] ? (time - from[0]) / (to[0] - from[0]) : 0;
  along = along < 0 ? 0 : along > 1 ? 1 : along;
  for (int i = 0; i < 3; i++) position[i] = from[1 + i] + along * (to[1 + i] - from[1 + i]);
}
