// Obstacles as surfaces: see rigid_surface.h.
#include "sim/rigid_surface.h"

#include <stdlib.h>

#include "base/array.h"
#include "sim/contact/ball.h"

bool rigid_surface_create(RigidSurface *rigid, const SimulationSettings *s, Error *error) {
  int64_t nodes = 0, triangles = 0;
  for (int k = 0; k < s->obstacle_count; k++) {
    const ObstacleSurface *surface = s->obstacles[k].surface;
    if (surface) nodes += surface->vertex_count, triangles += surface->triangle_count;
  }
  *rigid = (RigidSurface){ 0 };
  if (s->pusher > 0) nodes += BALL_NODES, triangles += BALL_TRIANGLES;
  if (nodes > INT32_MAX / 4 || triangles > INT32_MAX / 4) return error_set(error, "obstacles have too many triangles");
  rigid->X = array_new(nodes, sizeof *rigid->X, "obstacles", error);
  rigid->triangle = array_new(triangles, sizeof *rigid->triangle, "obstacles", error);
  rigid->friction = array_new(nodes, sizeof *rigid->friction, "obstacles", error);
  if (!rigid->X || !rigid->triangle || !rigid->friction) return false;
  for (int k = 0; k < s->obstacle_count; k++) {
    Obstacle o = s->obstacles[k];
    obstacle_place(&o, 0);
    for (int t = 0; o.surface && t < o.surface->triangle_count; t++, rigid->triangle_count++)
      for (int j = 0; j < 3; j++)
        rigid->triangle[rigid->triangle_count][j] = rigid->node_count + o.surface->triangle[t][j];
    for (int v = 0; o.surface && v < o.surface->vertex_count; v++, rigid->node_count++) {
      obstacle_vertex(&o, v, rigid->X[rigid->node_count]);
      rigid->friction[rigid->node_count] = o.friction;
    }
  }
  if (!(s->pusher > 0)) return true;
  // the last one; its friction is that of all
  ball_make(s->pusher, rigid->X + rigid->node_count, rigid->triangle + rigid->triangle_count);
  for (int t = 0; t < BALL_TRIANGLES; t++, rigid->triangle_count++)
    for (int j = 0; j < 3; j++) rigid->triangle[rigid->triangle_count][j] += rigid->node_count;
  for (int v = 0; v < BALL_NODES; v++) rigid->friction[rigid->node_count++] = -1;
  return true;
}

void rigid_surface_destroy(RigidSurface *rigid) {
  free(rigid->X), free(rigid->triangle), free(rigid->friction);
  *rigid = (RigidSurface){ 0 };
}
