// Builds one surface from the obstacles that self-contact treats as surfaces (obstacle_is_surface). Meshes, boxes,
// spheres and capsules become triangles with their corners on the shape; planes become half spaces. The obstacles of
// the settings come first, then the floor, then the ball with which a user can push (simulation_push).
//
// A plane has three nodes and no triangle. It is flat and unbounded, so the first part of a body that touches it is
// always a vertex. Contact therefore tests only vertices against planes.
#pragma once
#include "base/obstacle.h"
#include "sim/contact/skin.h"

// The obstacles of a simulation's settings, its floor, and the ball with which a user can push bodies
// (simulation_push).
typedef struct RigidObstacles {
  const Obstacle *list;  // [count], the obstacles of the settings; borrowed
  int count;             // number of obstacles in `list`
  bool self_contact;     // the setting self_contact; false: only mesh obstacles are part of the surface
  const double *floor;   // m, height of the floor, borrowed; NULL: there is no floor
  bool no_planes;        // true: planes and the floor are left out of the surface
  double pusher;         // m, radius of the ball; 0: there is no ball
} RigidObstacles;

/// Returns the number of triangles of all obstacles. `edge` is the mean edge length of the body's surface, m: the
/// smaller it is, the more triangles round shapes get.
int64_t rigid_surface_triangles(const RigidObstacles *obstacles, double edge);

/// Creates the surface of the obstacles at time 0. Without obstacles, this surface has no nodes. `edge` is the mean
/// edge length of the body's surface, m. Triangles deviate from round shapes by a small fraction of `edge` and of the
/// reach of contact. Fails if memory runs out or if there are too many triangles. Even then, rigid_surface_destroy must
/// be called.
bool rigid_surface_create(RigidSurface *rigid, const RigidObstacles *obstacles, double edge, Error *error);
void rigid_surface_destroy(RigidSurface *rigid);

/// Computes the positions of the obstacles' nodes at `time`, s, in x [node_count][3], m. Does not write the nodes of
/// the ball with which a user can push (simulation_push).
void rigid_surface_place(const RigidSurface *rigid, const RigidObstacles *obstacles, double time, double (*x)[3]);

/// Returns the index in obstacles->list of the first box, sphere or capsule that contains `point`, m; -1: none. The
/// obstacles' nodes are at x [node_count][3], m. Planes are not tested.
int rigid_surface_around(const RigidSurface *rigid, const RigidObstacles *obstacles, const double (*x)[3],
                         const double point[3]);
