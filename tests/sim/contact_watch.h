// Looks at a body's surface after a step: whether it goes through itself, or through obstacles that are meshes, by
// exact predicates, from positions alone.
#pragma once
#include "sim_testing.h"

#include "mesh/surface.h"
#include "sim/contact/crossing.h"

typedef struct Watch {
  Space space;
  Skin skin;
  RigidSurface rigid;
  const SimulationSettings *settings;  // borrowed
  double (*x)[3];
} Watch;

static inline void watch_start(Watch *w, const TetMesh *mesh, const SimulationSettings *s) {
  Error error = { 0 };
  Surface surface = { 0 };
  *w = (Watch){ .settings = s };
  RigidSurface *r = &w->rigid;
  for (int k = 0; k < s->obstacle_count; k++)
    if (s->obstacles[k].surface)
      r->node_count += s->obstacles[k].surface->vertex_count,
          r->triangle_count += s->obstacles[k].surface->triangle_count;
  r->X = calloc((size_t)r->node_count + 1, sizeof *r->X),
  r->friction = calloc((size_t)r->node_count + 1, sizeof(double));
  r->triangle = calloc((size_t)r->triangle_count + 1, sizeof *r->triangle);
  int node = 0, triangle = 0;
  for (int k = 0; k < s->obstacle_count; k++) {
    const ObstacleSurface *o = s->obstacles[k].surface;
    for (int t = 0; o && t < o->triangle_count; t++, triangle++)
      for (int j = 0; j < 3; j++) r->triangle[triangle][j] = node + o->triangle[t][j];
    for (int v = 0; o && v < o->vertex_count; v++) obstacle_vertex(&s->obstacles[k], v, r->X[node++]);
  }
  MUST(space_create(&w->space, mesh, 3, &error));
  MUST(surface_create(&surface, mesh, &error));
  MUST(skin_create(&w->skin, &w->space, (const int(*)[3])surface.triangle, surface.triangle_count, r, &error));
  w->x = calloc((size_t)w->skin.node_count, sizeof *w->x);
  surface_destroy(&surface);
}

// how many edges and triangles cross now
static inline int64_t watch_crossings(Watch *w, Simulation *simulation) {
  Error error = { 0 };
  Crossings crossings;
  int node = w->skin.body_nodes;
  MUST(simulation_state(simulation, w->x, NULL, &error));
  for (int k = 0; k < w->settings->obstacle_count; k++) {
    Obstacle o = w->settings->obstacles[k];
    obstacle_place(&o, simulation_time(simulation));
    for (int v = 0; o.surface && v < o.surface->vertex_count; v++) obstacle_vertex(&o, v, w->x[node++]);
  }
  MUST(find_crossings(&w->skin, (const double(*)[3])w->x, &crossings, &error));
  return crossings.count;
}

static inline void watch_end(Watch *w) {
  free(w->rigid.X), free(w->rigid.friction), free(w->rigid.triangle), free(w->x);
  skin_destroy(&w->skin);
  space_destroy(&w->space);
}
