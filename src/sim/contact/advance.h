// Continuous collision detection: finds the fraction of a motion that two surface primitives can make without a
// collision. A primitive is a point, an edge or a triangle. Its nodes move along straight lines.
//
// Method: additive steps (Li et al., Codimensional Incremental Potential Contact, 2021). Let d be the distance of the
// two primitives, and `closing` an upper bound on its decrease during the whole motion. Then the fraction d / closing
// of the motion is safe. The method moves the pair by this fraction, computes d again, and so on. The sum of these
// fractions approaches the largest safe fraction from below. For a point and a half space, half_space.h has a bound
// that suits sliding along the plane.
#pragma once
#include "sim/contact/half_space.h"

enum { ADVANCES_MAX = 400 };  // largest number of additive steps for one pair

/// Returns the fraction, 0 to 1, of the displacements [4][3], m, by which a pair's four nodes can move from x without
/// a collision. Up to this fraction the pair keeps a minimum distance. The minimum is a tenth of the distance at x or
/// of `reach`, whichever is smaller, but at least `rounding`, m, the rounding error of displacements. The result is
/// exactly 1 if the pair does not limit the motion.
///
/// The caller needs no fraction above `tested`, nor above *least, the smallest result of other pairs so far (NULL:
/// none). So the result is also 1 if the pair is safe up to one of these two fractions.
HOST_DEVICE double pair_advance(const double x[4][3], const double displacement[4][3], PairKind kind, double reach,
                                double rounding, double tested, const volatile double *least) {
  const double ADVANCE_KEEPS = 0.2;
  double weight[4], apart[3], at[4][3], own[4][3], length[4];
  if (kind == PAIR_POINT_PLANE) {
    const double d = nearest_distance(x, kind, weight, apart);
    return half_space_advance(x, displacement, fmax(ADVANCE_KEEPS * fmin(d, reach) / 2, rounding), tested, least);
  }

  // Subtract the mean displacement of the four nodes, because a common translation does not change the distance. The
  // bound `closing` is then smaller, and fewer steps are needed.
  for (int i = 0; i < 3; i++) {
    const double common = (displacement[0][i] + displacement[1][i] + displacement[2][i] + displacement[3][i]) / 4;
    for (int j = 0; j < 4; j++) own[j][i] = displacement[j][i] - common;
  }
  for (int j = 0; j < 4; j++) length[j] = sqrt(dot3(own[j], own[j]));
  double closing;
  if (kind == PAIR_EDGES) {
    closing = fmax(length[0], length[1]) + fmax(length[2], length[3]);
  } else {
    closing = length[0] + fmax(fmax(length[1], length[2]), length[3]);
  }
  if (closing == 0) return 1;
  double d = nearest_distance(x, kind, weight, apart), t = 0;
  const double keeps = fmax(ADVANCE_KEEPS * fmin(d, reach) / 2, rounding);
  for (int k = 0; k < ADVANCES_MAX; k++) {
    t += (d - keeps) / closing;
    if (t >= tested || (least && t >= *least)) return 1;
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < 3; i++) at[j][i] = x[j][i] + t * own[j][i];
    d = nearest_distance(at, kind, weight, apart);
    if (!(d > 2 * keeps)) break;
  }
  return t > 0 ? t : 0;
}
