// Rigid obstacles: what a body meets and the picture shows.
#pragma once
#include "base/waypoints.h"

enum { OBSTACLES_MAX = 16, OBSTACLE_POINTS_MAX = 16 };

typedef enum ObstacleKind {
  OBSTACLE_PLANE,
  OBSTACLE_SPHERE,
  OBSTACLE_BOX,
  OBSTACLE_CAPSULE,
  OBSTACLE_KINDS
} ObstacleKind;

// All of them are convex, which contact relies on (sim/force/obstacle.h).
typedef struct Obstacle {
  ObstacleKind kind;
  double centre[3];   // m; of a plane any point of it
  double axis[3][3];  // unit vectors, at right angles to each other: of a plane the last is its normal, of a capsule
                      // the last points from one end to the other
  double size[3];     // m: half the edges of a box; of spheres and capsules [0] is the radius, and of capsules [2] half
                      // the way between the middles of their ends
  double friction;    // coefficient
  int point_count;    // of the path that it follows; 0: it stands
  double path[OBSTACLE_POINTS_MAX][4];  // time s, and how far it is off `centre`, m
  double velocity[3];                   // m/s, in the step that is being taken; a simulation's own copy alone has one
  double given[2][3];  // what a scene says of it that the above does not give back: a plane's normal, a box's turn in
                       // degrees, the ends of a capsule, m
} Obstacle;

/// How far it is off its centre at a time, m.
static inline void obstacle_offset(const Obstacle *obstacle, double time, double offset[3]) {
  offset[0] = offset[1] = offset[2] = 0;
  if (obstacle->point_count > 0) waypoints_at(obstacle->path, obstacle->point_count, time, offset);
}
