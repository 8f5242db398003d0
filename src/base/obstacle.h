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

// The triangles of an obstacle of kind OBSTACLE_MESH, closed or not, in its local frame.
typedef struct ObstacleSurface {
  int vertex_count, triangle_count;
  double (*X)[3];      // [vertex_count], in the unit of the mesh file; each vertex is a corner of a triangle
  int (*triangle)[3];  // [triangle_count], numbers of the three vertices
} ObstacleSurface;

// An obstacle. All kinds but meshes are convex; contact of single nodes (sim/force/obstacle.h) requires this.
typedef struct Obstacle {
  ObstacleKind kind;
  double centre[3];   // m; for a plane any of its points
  double axis[3][3];  // orthogonal unit vectors. The last one is the normal of a plane, or points from one end of a
                      // capsule to the other
  double size[3];  // m. Box: half its edges. Sphere and capsule: [0] is the radius. Capsule: [2] is half the distance
                   // between the centres of its two ends. Mesh: [0] is the factor from the unit of its file to m
  const ObstacleSurface *surface;  // surface of a mesh; borrowed; else NULL
  double friction;                 // coefficient of friction
  RigidMotion motion;              // movement in the scene; its path starts at `centre`
  double velocity[3];              // m/s, in the current step; set only in the copy of the obstacle that a simulation
                                   // has
  double turning;                  // angular velocity, radians/s, in the current step
  double given[2][3];  // input of the scene, kept for printing it: normal of a plane; rotation of a box or a mesh,
                       // degrees; ends of a capsule, m
} Obstacle;

/// Returns true if the obstacle pushes the body's surface (triangles) by the barrier force of sim/contact, as
/// self-contact does. Otherwise it pushes single nodes by springs (sim/force/obstacle.h).
static inline bool obstacle_is_surface(const Obstacle *obstacle, bool self_contact) {
  return obstacle->kind == OBSTACLE_MESH || self_contact;
}

/// Returns true for a plane that does not move, such as a floor.
static inline bool obstacle_is_floor(const Obstacle *obstacle) {
  return obstacle->kind == OBSTACLE_PLANE && !motion_moves(&obstacle->motion);
}

/// Moves an obstacle to its position at a time: centre, axes, and the axis of rotation.
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

/// Transforms a point `own` of the obstacle's local frame, m, to its position x in space, m, after obstacle_place.
static inline void obstacle_point(const Obstacle *obstacle, const double own[3], double x[3]) {
  for (int i = 0; i < 3; i++) {
    x[i] = obstacle->centre[i];
    for (int k = 0; k < 3; k++) x[i] += obstacle->axis[k][i] * own[k];
  }
}
