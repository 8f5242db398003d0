// Rigid obstacles, for contact with bodies and for drawing.
#pragma once
#include <math.h>
#include <stdbool.h>

#include "base/rigid_motion.h"

enum { OBSTACLES_MAX = 16 };

typedef enum ObstacleKind {
  OBSTACLE_PLANE,
  OBSTACLE_SPHERE,
  OBSTACLE_BOX,
  OBSTACLE_CAPSULE,
  OBSTACLE_MESH,
  OBSTACLE_KINDS
} ObstacleKind;

// The triangles of an obstacle of kind OBSTACLE_MESH, in its local frame. The surface may be open.
typedef struct ObstacleSurface {
  int vertex_count, triangle_count;
  double (*X)[3];      // [vertex_count], in the unit of the mesh file; every vertex is a corner of a triangle
  int (*triangle)[3];  // [triangle_count], numbers of the three vertices
} ObstacleSurface;

// An obstacle. There are two kinds of contact with it (obstacle_is_surface). Contact of single nodes requires a convex
// obstacle; all kinds of obstacles but meshes are convex.
typedef struct Obstacle {
  ObstacleKind kind;
  double centre[3];   // m, position of the centre; for a plane, of any of its points
  double axis[3][3];  // orthogonal unit vectors; the last is a plane's normal, or points along a capsule
  // Sizes, m. Box: half the length of each edge. Sphere and capsule: the radius in size[0]. Capsule: half the distance
  // between the centres of its ends in size[2]. Mesh: in size[0] the factor that converts the unit of its file to m.
  double size[3];
  const ObstacleSurface *surface;  // surface of a mesh; NULL for other kinds; borrowed
  double friction;                 // coefficient of friction
  RigidMotion motion;              // prescribed motion; its path starts at `centre`
  double velocity[3];              // m/s, in the present time step; only in the simulation's copy of the obstacle
  // radians/s, angular velocity about motion.spin.axis in the present time step; only in the simulation's copy of the
  // obstacle
  double turning;
  // numbers from the scene file, kept unchanged for saving the scene. Plane: its normal. Box or mesh: its rotation,
  // degrees. Capsule: its ends, m
  double given[2][3];
} Obstacle;

/// Returns true if the obstacle pushes the triangles of a body's surface by the method of self-contact (sim/contact).
/// Otherwise it pushes single nodes by springs (sim/force/obstacle.h). `self_contact`: the scene has self-contact.
static inline bool obstacle_is_surface(const Obstacle *obstacle, bool self_contact) {
  return obstacle->kind == OBSTACLE_MESH || self_contact;
}

/// Returns true for a plane that does not move, such as a floor.
static inline bool obstacle_is_floor(const Obstacle *obstacle) {
  return obstacle->kind == OBSTACLE_PLANE && !motion_moves(&obstacle->motion);
}

/// Moves an obstacle from its position at the start to its position at `time`, s: changes centre, axes and the axis of
/// its rotation. A second call would start from the moved position, so the caller needs a new copy for each time.
static inline void obstacle_place(Obstacle *obstacle, double time) {
  Spin *spin = &obstacle->motion.spin;
  double offset[3];
  motion_offset(&obstacle->motion, time, offset);
  if (motion_spins(&obstacle->motion)) {
    const double angle = motion_radians(&obstacle->motion, time);
    double arm[3], turned[3];
    for (int i = 0; i < 3; i++) arm[i] = obstacle->centre[i] - spin->about[i];
    turn_about(spin->axis, angle, arm, turned);
    for (int i = 0; i < 3; i++) {
      obstacle->centre[i] = spin->about[i] + turned[i];
      spin->about[i] += offset[i];
    }
    for (int k = 0; k < 3; k++) {
      turn_about(spin->axis, angle, obstacle->axis[k], turned);
      for (int i = 0; i < 3; i++) obstacle->axis[k][i] = turned[i];
    }
  }
  for (int i = 0; i < 3; i++) obstacle->centre[i] += offset[i];
}

/// Computes the position x, m, of a point that is fixed to the obstacle. `own`, m, is the point in the obstacle's local
/// frame. obstacle_place must have moved the obstacle before.
static inline void obstacle_point(const Obstacle *obstacle, const double own[3], double x[3]) {
  for (int i = 0; i < 3; i++) {
    x[i] = obstacle->centre[i];
    for (int k = 0; k < 3; k++) x[i] += obstacle->axis[k][i] * own[k];
  }
}
