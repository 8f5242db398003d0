// Obstacles that are surfaces (obstacle_is_surface), merged into one: meshes, boxes, spheres and capsules as inscribed
// triangles, and planes, in the order of obstacles; then the floor, and the ball that the mouse pushes with.
//
// A plane has three nodes and no triangle. It is unbounded, and a body lies within the convex hull of its vertices, so
// only vertices meet it.
#pragma once
#include "base/obstacle.h"
#include "sim/contact/skin.h"

// The obstacles of a simulation's settings, and the radius of the pushing ball.
typedef struct RigidObstacles {
  const Obstacle *list;  // [count], borrowed
  int count;
  bool self_contact;    // false: only meshes are surfaces
  const double *floor;  // m, height of the floor, borrowed; NULL: there is no floor
  bool no_planes;       // planes and the floor are left out
  double pusher;        // m, the ball's radius; 0: there is no ball
} RigidObstacles;

/// Number of triangles for a body whose surface edges have the mean length `edge`, m.
int64_t rigid_surface_triangles(const RigidObstacles *obstacles, double edge);

/// Creates the surface at time 0; it has no nodes if there are no obstacles. Round shapes are refined until their
/// deviation is small against `edge`, and so against the distance that self-contact keeps. Fails if memory runs out or
/// if there are too many triangles; rigid_surface_destroy must be called also after a failure.
bool rigid_surface_create(RigidSurface *rigid, const RigidObstacles *obstacles, double edge, Error *error);
void rigid_surface_destroy(RigidSurface *rigid);

/// Computes the positions of the nodes at a time, s, without those of the pushing ball: x [node_count][3], m.
void rigid_surface_place(const RigidSurface *rigid, const RigidObstacles *obstacles, double time, double (*x)[3]);

/// Returns the first box, sphere or capsule that contains a point, with nodes at x [node_count][3]; -1: none. Planes
/// are left out: find_crossings tests all vertices.
int rigid_surface_around(const RigidSurface *rigid, const RigidObstacles *obstacles, const double (*x)[3],
                         const double point[3]);
