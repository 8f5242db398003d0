// Prescribed rigid motions over time. Obstacles and supports follow them.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "base/turn.h"
#include "base/waypoints.h"

enum { MOTION_POINTS_MAX = 20 };

// Rotation about an axis over time.
typedef struct Spin {
  double axis[3];   // unit vector; all 0: no rotation
  double about[3];  // m, a point of the axis at the start of the path: the axis moves along the path
  double speed;     // degrees/s from time 0 on, if there are no angles
  int angle_count;
  double angles[MOTION_POINTS_MAX][2];  // time s, and the angle at that time, degrees
  double given[3];                      // the axis as the scene gives it, of any length
} Spin;

typedef struct RigidMotion {
  int point_count;                    // number of points of the path; 0: it has none
  double path[MOTION_POINTS_MAX][4];  // time s, and displacement from the start, m
  Spin spin;
} RigidMotion;

/// Displacement along the path at a time, m.
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

/// Angle of the rotation at a time, degrees.
static inline double motion_degrees(const RigidMotion *motion, double time) {
  const Spin *spin = &motion->spin;
  double degrees = time > 0 ? spin->speed * time : 0;
  if (spin->angle_count > 0) waypoints_values(spin->angles[0], 1, spin->angle_count, time, &degrees);
  return degrees;
}

/// As motion_degrees, in radians and without full turns. fmod removes the full turns without rounding, so the angle
/// stays accurate after many turns.
static inline double motion_radians(const RigidMotion *motion, double time) {
  return fmod(motion_degrees(motion, time), 360) * (acos(-1.0) / 180);
}

/// Displacement u, m, at a time, of the point that is at X, m, at the start. Without a path, u is exactly 0 after each
/// full turn.
static inline void motion_displacement(const RigidMotion *motion, double time, const double X[3], double u[3]) {
  double arm[3], turned[3];
  motion_offset(motion, time, u);
  if (!motion_spins(motion)) return;
  for (int i = 0; i < 3; i++) arm[i] = X[i] - motion->spin.about[i];
  turn_about(motion->spin.axis, motion_radians(motion, time), arm, turned);
  for (int i = 0; i < 3; i++) u[i] += turned[i] - arm[i];
}

/// The last time of the motion's path and angles, s; 0 if it has neither.
static inline double motion_end(const RigidMotion *motion) {
  const Spin *spin = &motion->spin;
  const double path = motion->point_count > 0 ? motion->path[motion->point_count - 1][0] : 0;
  return fmax(path, spin->angle_count > 0 ? spin->angles[spin->angle_count - 1][0] : 0);
}
