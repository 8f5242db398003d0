// Prescribed rigid motions, which obstacles and supports follow.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "base/turn.h"
#include "base/waypoints.h"

enum { MOTION_POINTS_MAX = 20 };

// A rotation about an axis, as a function of time.
typedef struct Spin {
  double axis[3];   // unit vector; all 0: no rotation
  double about[3];  // m, a point on the axis at the start of the path; the axis moves along the path
  double speed;     // degrees/s from time 0 on; not used if there are angles
  int angle_count;
  double angles[MOTION_POINTS_MAX][2];  // [angle_count], time, s, and angle at this time, degrees
  double given[3];                      // the vector by which the scene gives `axis`; it may have any length
} Spin;

// A prescribed motion: displacement along a path, and rotation.
typedef struct RigidMotion {
  int point_count;                    // number of points of the path; 0: there is no path
  double path[MOTION_POINTS_MAX][4];  // [point_count], time, s, and displacement from the start at this time, m
  Spin spin;
} RigidMotion;

/// Stores in `offset` the displacement, m, along the path at `time`, s.
static inline void motion_offset(const RigidMotion *motion, double time, double offset[3]) {
  offset[0] = offset[1] = offset[2] = 0;
  if (motion->point_count > 0) waypoints_at(motion->path, motion->point_count, time, offset);
}

static inline bool motion_spins(const RigidMotion *motion) {
  const double *axis = motion->spin.axis;
  return axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
}

/// Returns true if the motion has a path or a rotation.
static inline bool motion_moves(const RigidMotion *motion) {
  return motion->point_count > 0 || motion_spins(motion);
}

/// Computes the rotation that turns the axes from[k] into the axes to[k]. Returns its angle, 0 to 360 degrees, and
/// writes its axis, a unit vector, to `axis`.
static inline double rotation_between(const double from[3][3], const double to[3][3], double axis[3]) {
  // Compute the rotation matrix r, then its quaternion q. The largest component of q is computed first, because the
  // others are quotients by it.
  double r[3][3] = { 0 }, q[4], size2[4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) r[i][j] += to[k][i] * from[k][j];
  const double trace = r[0][0] + r[1][1] + r[2][2];
  size2[0] = (1 + trace) / 4;
  for (int i = 0; i < 3; i++) size2[1 + i] = (1 + 2 * r[i][i] - trace) / 4;
  int largest = 0;
  for (int k = 1; k < 4; k++)
    if (size2[k] > size2[largest]) largest = k;
  q[largest] = sqrt(size2[largest]);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double skew = (r[k][j] - r[j][k]) / (4 * q[largest]);
    if (largest == 0) q[1 + i] = skew;
    if (largest == 1 + i) q[0] = skew;
    if (largest == 1 + j || largest == 1 + k) {
      const int other = largest - 1;
      q[1 + i] = (r[i][other] + r[other][i]) / (4 * q[largest]);
    }
  }

  const double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 3; i++) axis[i] = length > 0 ? q[1 + i] / length : 0;
  return 2 * atan2(length, q[0]) * (180 / acos(-1.0));
}

/// Returns the angle of the rotation at `time`, s, in degrees.
static inline double motion_degrees(const RigidMotion *motion, double time) {
  const Spin *spin = &motion->spin;
  double degrees = time > 0 ? spin->speed * time : 0;
  if (spin->angle_count > 0) waypoints_values(spin->angles[0], 1, spin->angle_count, time, &degrees);
  return degrees;
}

/// Returns the angle at `time`, s, in radians, without full turns. fmod removes full turns without rounding, so the
/// angle stays accurate after many turns.
static inline double motion_radians(const RigidMotion *motion, double time) {
  return fmod(motion_degrees(motion, time), 360) * (acos(-1.0) / 180);
}

/// Computes the displacement u, m, at `time`, s, of the point that is at X, m, without the motion. Without a path, u is
/// exactly 0 after each full turn.
static inline void motion_displacement(const RigidMotion *motion, double time, const double X[3], double u[3]) {
  double arm[3], turned[3];
  motion_offset(motion, time, u);
  if (!motion_spins(motion)) return;
  for (int i = 0; i < 3; i++) arm[i] = X[i] - motion->spin.about[i];
  turn_about(motion->spin.axis, motion_radians(motion, time), arm, turned);
  for (int i = 0; i < 3; i++) u[i] += turned[i] - arm[i];
}

/// Returns the last time, s, of the motion's path and angles; 0 if it has neither.
static inline double motion_end(const RigidMotion *motion) {
  const Spin *spin = &motion->spin;
  const double path = motion->point_count > 0 ? motion->path[motion->point_count - 1][0] : 0;
  return fmax(path, spin->angle_count > 0 ? spin->angles[spin->angle_count - 1][0] : 0);
}
