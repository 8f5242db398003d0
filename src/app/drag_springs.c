// The springs of scripted drags: see drag_springs.h.
#include "app/drag_springs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

// the node whose place stands for what the drag holds: at the region's centre
static int centre_node(const Session *session, const Region *region) {
  const TetMesh *mesh = &session->mesh;
  const int axis = abs(region->centre_extreme) - 1;
  int best = 0;
  double least = 0;
  for (int a = 0; a < mesh->node_count; a++) {
    double far = 0;
    if (region->centre_extreme)
      far = region->centre_extreme > 0 ? -mesh->X[a][axis] : mesh->X[a][axis];
    else
      for (int i = 0; i < 3; i++) far += (mesh->X[a][i] - region->centre[i]) * (mesh->X[a][i] - region->centre[i]);
    if (a == 0 || far < least) best = a, least = far;
  }
  return best;
}

// the drag's offset now: its path is straight between its points
static void offset_at(const SceneDrag *drag, double time, double offset[3]) {
  int k = 1;
  while (k < drag->point_count - 1 && drag->path[k][0] < time) k++;
  const double *from = drag->path[k - 1], *to = drag->path[k];
  double along = (time - from[0]) / (to[0] - from[0]);
  along = along < 0 ? 0 : along > 1 ? 1 : along;
  for (int i = 0; i < 3; i++) offset[i] = from[1 + i] + along * (to[1 + i] - from[1 + i]);
}

static bool begin_hold(DragSprings *drags, int k, int node, Session *session, Error *error) {
  double(*x)[3] = array_new(session->mesh.node_count, sizeof *x, "positions", error);
  const bool ok = x && simulation_state(session->simulation, x, NULL, error);
  if (ok) memcpy(drags->origin[k], x[node], sizeof drags->origin[k]);
  free(x);
  return ok;
}

bool drag_springs_update(DragSprings *drags, Session *session, Error *error) {
  drags->count = 0;
  for (int k = 0; k < session->scene.drag_count; k++) {
    const SceneDrag *drag = &session->scene.drags[k];
    const int id = session->drag_ids[k], node = id ? centre_node(session, &drag->region) : 0;
    if (id && drags->held[k] != id && !begin_hold(drags, k, node, session, error)) return false;
    drags->held[k] = id;
    if (!id) continue;
    double offset[3];
    offset_at(drag, simulation_time(session->simulation), offset);
    Spring *spring = &drags->springs[drags->count++];
    *spring = (Spring){ .nodes = { node, node, node }, .barycentric = { 1, 0, 0 } };
    for (int i = 0; i < 3; i++) spring->target[i] = drags->origin[k][i] + offset[i];
  }
  return true;
}
