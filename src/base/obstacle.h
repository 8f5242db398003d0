// Rigid obstacles: what a body meets and the picture shows.
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

// The triangles of one of kind OBSTACLE_MESH, closed or not, in its own frame.
typedef struct ObstacleSurface {
  int vertex_count, triangle_count;
  double (*X)[3];      // [vertex_count], in its file's unit; each is a corner of some triangle
  int (*triangle)[3];  // [triangle_count], vertices
} ObstacleSurface;

// How one turns about an axis as time goes by.
typedef struct ObstacleSpin {
  double axis[3];   // unit vector; all 0: it does not turn
  double about[3];  // m, a point of the axis while the obstacle is at its centre: the axis goes along its path
  double speed;     // degrees/s from time 0 on, where there are no angles
  int angle_count;
  double angles[OBSTACLE_POINTS_MAX][4];  // time s, and how far it has turned then, degrees; two are not used
  double given[3];                        // the axis as a scene says it
} ObstacleSpin;

// All but meshes are convex, which contact of nodes with them relies on (sim/force/obstacle.h).
typedef struct Obstacle {
  ObstacleKind kind;
  double centre[3];   // m; of a plane any point of it
  double axis[3][3];  // unit vectors, at right angles to each other: of a plane the last is its normal, of a capsule
                      // the last points from one end to the other
  double size[3];     // m: half the edges of a box; of spheres and capsules [0] is the radius, and of capsules [2] half
                      // the way between the middles of their ends; of a mesh [0] is the factor on its unit
  const ObstacleSurface *surface;       // of a mesh; borrowed; else NULL
  double friction;                      // coefficient
  int point_count;                      // of the path that it follows; 0: it stands
  double path[OBSTACLE_POINTS_MAX][4];  // time s, and how far it is off `centre`, m
  ObstacleSpin spin;
  double velocity[3];  // m/s, in the step that is being taken; a simulation's own copy alone has one
  double turning;      // radians/s, likewise
  double given[2][3];  // what a scene says of it that the above does not give back: a plane's normal, a box's turn in
                       // degrees, as a mesh's, the ends of a capsule, m
} Obstacle;

/// How far it is off its centre at a time, m.
static inline void obstacle_offset(const Obstacle *obstacle, double time, double offset[3]) {
  offset[0] = offset[1] = offset[2] = 0;
  if (obstacle->point_count > 0) waypoints_at(obstacle->path, obstacle->point_count, time, offset);
}

/// Whether it is met as a surface of triangles (sim/contact/rigid_surface.h), not by nodes: a mesh, and by self-contact
/// all but planes.
static inline bool obstacle_is_surface(const Obstacle *obstacle, bool self_contact) {
  return obstacle->kind == OBSTACLE_MESH || (self_contact && obstacle->kind != OBSTACLE_PLANE);
}

static inline bool obstacle_spins(const Obstacle *obstacle) {
  const double *axis = obstacle->spin.axis;
  return axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
}

/// Whether it is not always where it was.
static inline bool obstacle_moves(const Obstacle *obstacle) {
  return obstacle->point_count > 0 || obstacle_spins(obstacle);
}

/// Whether it is such as a floor is: a plane that stands.
static inline bool obstacle_is_floor(const Obstacle *obstacle) {
  return obstacle->kind == OBSTACLE_PLANE && !obstacle_moves(obstacle);
}

/// How far one that spins has turned at a time, degrees.
static inline double obstacle_degrees(const Obstacle *obstacle, double time) {
  const ObstacleSpin *spin = &obstacle->spin;
  double turned[3] = { time > 0 ? spin->speed * time : 0 };
  if (spin->angle_count > 0) waypoints_at(spin->angles, spin->angle_count, time, turned);
  return turned[0];
}

/// Puts it where it is at a time: centre, axes, and the axis about which it turns.
static inline void obstacle_place(Obstacle *obstacle, double time) {
  double offset[3];
  obstacle_offset(obstacle, time, offset);
  if (obstacle_spins(obstacle)) {
    // full turns are taken off exactly, so that what turns for long stays as exact
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

/// Where a point of its own frame, m, is of an obstacle that is where it was placed, m.
static inline void obstacle_point(const Obstacle *obstacle, const double own[3], double x[3]) {
  for (int i = 0; i < 3; i++) {
    x[i] = obstacle->centre[i];
    for (int k = 0; k < 3; k++) x[i] += obstacle->axis[k][i] * own[k];
  }
}
