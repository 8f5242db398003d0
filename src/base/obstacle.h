// Rigid obstacles, for contact with bodies and for drawing.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "base/turn.h"
#include "base/waypoints.h"

enum { OBSTACLES_MAX = 16, OBSTACLE_POINTS_MAX = 16 };

typedef enum ObstacleKind {
  OBSTACLE_PLANE,
  OBSTACLE_SPHERE,
  OBSTACLE_BOX,
  OBSTACLE_CAPSULE,
  OBSTACLE_MESH,
  OBSTACLE_KINDS
} ObstacleKind;

// The triangles of an obstacle of kind OBSTACLE_MESH, closed or not, in its local frame.
typedef struct ObstacleSurface {
  int vertex_count, triangle_count;
  double (*X)[3];      // [vertex_count], in its file's unit; each is a corner of a triangle
  int (*triangle)[3];  // [triangle_count], vertices
} ObstacleSurface;

// Rotation of an obstacle about an axis over time.
typedef struct ObstacleSpin {
  double axis[3];   // unit vector; all 0: no rotation
  double about[3];  // m, a point of the axis while the obstacle is at its centre: the axis moves along its path
  double speed;     // degrees/s from time 0 on, if there are no angles
  int angle_count;
  double angles[OBSTACLE_POINTS_MAX][4];  // time s, and the angle at that time, degrees; two are not used
  double given[3];                        // the axis as given in the scene
} ObstacleSpin;

// All kinds but meshes are convex, on which contact of nodes relies (sim/force/obstacle.h).
typedef struct Obstacle {
  ObstacleKind kind;
  double centre[3];   // m; for a plane any of its points
  double axis[3][3];  // orthogonal unit vectors: the last one is the normal of a plane, and points from one end of a
                      // capsule to the other
  double size[3];  // m: half the edges of a box; [0] is the radius of spheres and capsules, and [2] half the distance
                   // between the centres of a capsule's ends; for a mesh [0] is the factor on its unit
  const ObstacleSurface *surface;       // surface of a mesh; borrowed; else NULL
  double friction;                      // coefficient
  int point_count;                      // number of points of its path; 0: it does not move
  double path[OBSTACLE_POINTS_MAX][4];  // time s, and displacement from `centre`, m
  ObstacleSpin spin;
  double velocity[3];  // m/s, in the current step; set only in a simulation's copy
  double turning;      // radians/s, in the current step
  double given[2][3];  // values of the scene that do not follow from the above: a plane's normal, rotations of a box or
                       // a mesh in degrees, the ends of a capsule, m
} Obstacle;

/// Displacement of an obstacle from its centre at a time, m.
static inline void obstacle_offset(const Obstacle *obstacle, double time, double offset[3]) {
  offset[0] = offset[1] = offset[2] = 0;
  if (obstacle->point_count > 0) waypoints_at(obstacle->path, obstacle->point_count, time, offset);
}

/// Returns true if it meets the body's surface by the barrier of sim/contact, as a surface of triangles or a half
/// space. Otherwise it acts on the body's nodes by springs (sim/force/obstacle.h).
static inline bool obstacle_is_surface(const Obstacle *obstacle, bool self_contact) {
  return obstacle->kind == OBSTACLE_MESH || self_contact;
}

static inline bool obstacle_spins(const Obstacle *obstacle) {
  const double *axis = obstacle->spin.axis;
  return axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
}

/// Returns true if it moves or rotates.
static inline bool obstacle_moves(const Obstacle *obstacle) {
  return obstacle->point_count > 0 || obstacle_spins(obstacle);
}

/// Returns true for a plane that does not move, such as a floor.
static inline bool obstacle_is_floor(const Obstacle *obstacle) {
  return obstacle->kind == OBSTACLE_PLANE && !obstacle_moves(obstacle);
}

/// Angle of a rotating obstacle at a time, degrees.
static inline double obstacle_degrees(const Obstacle *obstacle, double time) {
  const ObstacleSpin *spin = &obstacle->spin;
  double turned[3] = { time > 0 ? spin->speed * time : 0 };
  if (spin->angle_count > 0) waypoints_at(spin->angles, spin->angle_count, time, turned);
  return turned[0];
}

/// Moves an obstacle to its position at a time: centre, axes, and the axis of rotation.
static inline void obstacle_place(Obstacle *obstacle, double time) {
  double offset[3];
  obstacle_offset(obstacle, time, offset);
  if (obstacle_spins(obstacle)) {
    // full turns are removed exactly, so that long rotations stay as accurate
    const double angle = fmod(obstacle_degrees(obstacle, time), 360) * (acos(-1.0) / 180);
    double arm[3], turned[3];
    for (int i = 0; i < 3; i++) arm[i] = obstacle->centre[i] - obstacle->spin.about[i];
    turn_about(obstacle->spin.axis, angle, arm, turned);
    for (int i = 0; i < 3; i++) {
      obstacle->centre[i] = obstacle->spin.about[i] + turned[i];
      obstacle->spin.about[i] += offset[i];
    }
    for (int k = 0; k < 3; k++) {
      turn_about(obstacle->spin.axis, angle, obstacle->axis[k], turned);
      for (int i = 0; i < 3; i++) obstacle->axis[k][i] = turned[i];
    }
  }
  for (int i = 0; i < 3; i++) obstacle->centre[i] += offset[i];
}

/// Position of a point of the local frame, m, for an obstacle after obstacle_place, m.
static inline void obstacle_point(const Obstacle *obstacle, const double own[3], double x[3]) {
  for (int i = 0; i < 3; i++) {
    x[i] = obstacle->centre[i];
    for (int k = 0; k < 3; k++) x[i] += obstacle->axis[k][i] * own[k];
  }
}
