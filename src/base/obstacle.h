// Rigid obstacles: what a body meets and the picture shows.
#pragma once

enum { OBSTACLES_MAX = 16 };

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
  double given[2][3];  // what a scene says of it that the above does not give back: a plane's normal, a box's turn in
                       // degrees, the ends of a capsule, m
} Obstacle;
