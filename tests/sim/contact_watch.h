// A Watch counts intersections of a body's surface with itself and with the surfaces of obstacles, by exact predicates.
// It uses only node positions, so it is independent of the contact code under test.
#pragma once
#include "sim_testing.h"

#include "mesh/surface.h"
#include "sim/contact/crossing.h"
#include "sim/contact/rigid_surface.h"
#include "sim/settings.h"

typedef struct Watch {
  Space space;
  Skin skin;
  RigidSurface rigid;
  RigidObstacles obstacles;  // refers to the settings, which remain the owner of the obstacles
  double (*x)[3];            // [skin.node_count], m: positions of the body's nodes, then of the obstacles' nodes
} Watch;

static inline void watch_start(Watch *w, const TetMesh *mesh, const SimulationSettings *s) {
  Error error = { 0 };
  Surface surface = { 0 };
  *w = (Watch){ .obstacles = settings_rigid(s) };
  MUST(space_create(&w->space, mesh, 3, &error));
  MUST(surface_create(&surface, mesh, &error));
  const double edge = surface_mean_edge(&surface, (const double(*)[3])mesh->X);
  MUST(rigid_surface_create(&w->rigid, &w->obstacles, edge, &error));
  MUST(skin_create(&w->skin, &w->space, (const int(*)[3])surface.triangle, surface.triangle_count, &w->rigid, &error));
  w->x = calloc((size_t)w->skin.node_count, sizeof *w->x);
  surface_destroy(&surface);
}

// Returns the number of intersections, each of an edge and a triangle, at the current positions.
static inline int64_t watch_crossings(Watch *w, Simulation *simulation) {
  Error error = { 0 };
  Crossings crossings;
  MUST(simulation_state(simulation, w->x, NULL, &error));
  rigid_surface_place(&w->rigid, &w->obstacles, simulation_time(simulation), w->x + w->skin.body_nodes);
  MUST(find_crossings(&w->skin, (const double(*)[3])w->x, &crossings, &error));
  return crossings.count;
}

static inline void watch_end(Watch *w) {
  free(w->x);
  rigid_surface_destroy(&w->rigid);
  skin_destroy(&w->skin);
  space_destroy(&w->space);
}
