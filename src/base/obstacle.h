// Rigid obstacles: what a body meets and the picture shows.
#pragma once
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

// All but meshes are convex, which contact of nodes with them relies on (sim/force/obstacle.h). What a mesh does is
// for self-contact (sim/contact), as one more surface there.
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
  double velocity[3];                   // m/s, in the step that is being taken; a simulation's own copy alone has one
  double given[2][3];  // what a scene says of it that the above does not give back: a plane's normal, a box's turn in
                       // degrees, as a mesh's, the ends of a capsule, m
} Obstacle;

/// How far it is off its centre at a time, m.
static inline void obstacle_offset(const Obstacle *obstacle, double time, double offset[3]) {
  offset[0] = offset[1] = offset[2] = 0;
  if (obstacle->point_count > 0) waypoints_at(obstacle->path, obstacle->point_count, time, offset);
}

/// Where a mesh's vertex is while the obstacle stands at its centre, m.
static inline void obstacle_vertex(const Obstacle *obstacle, int vertex, double x[3]) {
  for (int i = 0; i < 3; i++) {
    x[i] = obstacle->centre[i];
    for (int k = 0; k < 3; k++) x[i] += obstacle->axis[k][i] * (obstacle->size[0] * obstacle->surface->X[vertex][k]);
  }
}
