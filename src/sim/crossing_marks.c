// Marks the nodes at which surfaces intersect (crossing_marks.h). A piece is a connected part of the mesh
// (element/pieces.h).
#include "sim/crossing_marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/surface.h"
#include "sim/contact/crossing.h"
#include "sim/contact/rigid_surface.h"
#include "sim/settings.h"

struct CrossingMarks {
  SimulationSettings settings;
  // the surfaces of settings.obstacles; planes are included only with self_contact, since nodes may otherwise sink into
  // them
  RigidObstacles obstacles;
  Space space;
  RigidSurface rigid;
  // the surfaces of the mesh and of the obstacles, as one set of nodes, edges and triangles
  Skin skin;
  double (*x)[3];  // [skin.node_count], positions of the mesh's nodes, then of the obstacles' nodes, m
  uint8_t *node;   // [skin.node_count], 1: the node is part of an intersection or inside an obstacle
  // [skin.component_count], state of each piece of the mesh. 1: it takes part in an intersection; 2: it is inside an
  // obstacle; 0: neither
  uint8_t *part;
};

bool crossing_marks_create(CrossingMarks **marks, const TetMesh *mesh, const SimulationSettings *settings,
                           Error *error) {
  CrossingMarks *made = array_new(1, sizeof *made, "contact", error);
  Surface surface = { 0 };
  bool ok = made;
  if (ok) {
    made->settings = *settings;
    made->settings.self_contact = true;
    made->settings.pusher = 0;
    made->obstacles = settings_rigid(&made->settings);
    made->obstacles.no_planes = !settings->self_contact;
  }

  ok = ok && space_create(&made->space, mesh, 3, error);
  ok = ok && surface_create(&surface, mesh, error);
  ok = ok && rigid_surface_create(&made->rigid, &made->obstacles,
                                  surface_mean_edge(&surface, (const double(*)[3])mesh->X), error);
  ok = ok && skin_create(&made->skin, &made->space, (const int(*)[3])surface.triangle, surface.triangle_count,
                         made->rigid.node_count > 0 ? &made->rigid : NULL, error);
  ok = ok && (made->x = array_new(made->skin.node_count, sizeof *made->x, "contact", error));
  ok = ok && (made->node = array_new(made->skin.node_count, 1, "contact", error));
  ok = ok && (made->part = array_new(made->skin.component_count, 1, "contact", error));
  surface_destroy(&surface);
  if (ok)
    *marks = made;
  else
    crossing_marks_destroy(made);
  return ok;
}

void crossing_marks_destroy(CrossingMarks *marks) {
  if (!marks) return;
  skin_destroy(&marks->skin);
  rigid_surface_destroy(&marks->rigid);
  space_destroy(&marks->space);
  free(marks->x);
  free(marks->node);
  free(marks->part);
  free(marks);
}

// Marks the nodes of connected pieces of the mesh that are inside an obstacle, and returns the number of these nodes. A
// piece without intersections lies on one side of each obstacle's surface, so a test of one node is enough.
static int64_t mark_enclosed(CrossingMarks *m, int nodes) {
  const Skin *skin = &m->skin;
  const double(*rigid)[3] = (const double(*)[3])(m->x + nodes);
  int64_t count = 0;
  memset(m->part, 0, (size_t)skin->component_count);
  for (int a = 0; a < nodes; a++) m->part[skin->component[a]] |= m->node[a];
  for (int k = 0; k < skin->component_count && skin->first_node[k] < nodes; k++)
    if (!m->part[k] && rigid_surface_around(&m->rigid, &m->obstacles, rigid, m->x[skin->first_node[k]]) >= 0)
      m->part[k] = 2;
  for (int a = 0; a < nodes; a++)
    if (m->part[skin->component[a]] == 2) {
      m->node[a] = 1;
      count++;
    }
  return count;
}

bool crossing_marks_update(CrossingMarks *m, const double (*x)[3], double time, uint8_t *node, int64_t *count,
                           Error *error) {
  const int nodes = m->space.node_count;
  Crossings crossings;
  memcpy(m->x, x, sizeof *x * (size_t)nodes);
  rigid_surface_place(&m->rigid, &m->obstacles, time, m->x + nodes);
  if (!mark_crossings(&m->skin, (const double(*)[3])m->x, m->node, &crossings, error)) return false;
  *count = crossings.count + mark_enclosed(m, nodes);
  memcpy(node, m->node, (size_t)nodes);
  return true;
}
