// The obstacles that are surfaces (obstacle_is_surface), as one: meshes, boxes, and spheres and capsules as
// inscribed triangles, in their order; then the ball that the mouse pushes with. Planes have none: nodes meet those,
// and a body lies within what its nodes span.
#pragma once
#include "base/obstacle.h"
#include "sim/contact/skin.h"

// The obstacles and the radius of the ball that pushes, as a simulation's settings have them.
typedef struct RigidObstacles {
  const Obstacle *list;  // [count], borrowed
  int count;
  bool self_contact;  // surfaces are all kinds but planes; false: meshes alone
  double pusher;      // m, the ball's radius; 0: there is no ball
} RigidObstacles;

/// Of how many triangles it will be, for a body whose surface has edges of `edge` m on average.
int64_t rigid_surface_triangles(const RigidObstacles *obstacles, double edge);

/// Where they are at time 0; of no nodes where there are none. What is round is as fine against `edge` as against what
/// self-contact keeps apart. Fails for lack of memory, and where there are too many triangles; destroy releases it,
/// also then.
bool rigid_surface_create(RigidSurface *rigid, const RigidObstacles *obstacles, double edge, Error *error);
void rigid_surface_destroy(RigidSurface *rigid);

/// Where its nodes are at a time, s, but those of the ball that pushes: x [node_count][3], m.
void rigid_surface_place(const RigidSurface *rigid, const RigidObstacles *obstacles, double time, double (*x)[3]);

/// The first box, sphere or capsule of it that holds a point, its nodes being at x [node_count][3]; -1: none does.
int rigid_surface_around(const RigidSurface *rigid, const RigidObstacles *obstacles, const double (*x)[3],
                         const double point[3]);
