// Springs that are drawn in pictures for the drags of a scene (parts of a body that are pulled along paths): see
// drag_springs.h.
#include "live/drag_springs.h"

#include <string.h>

#include "scene/scene_geometry.h"
#include "scene/session_script.h"

// A drag pulls the nodes of a region along a path. Returns the node nearest to the region's centre, at which the drag's
// spring is drawn.
static int centre_node(const Session *session, const Region *region) {
  double centre[3];
  const RegionPosition position = region_position(&session->scene, region, &session->mesh);
  memcpy(centre, position.centre, sizeof position.centre);
  return mesh_nearest_node(&session->mesh, centre);
}

void drag_springs_update(DragSprings *drags, const Session *session) {
  drags->count = 0;
  for (int k = 0; k < session->scene.drag_count; k++) {
    const SceneDrag *drag = &session->scene.drags[k];
    const int id = session->drag_ids[k] == DRAG_TORN ? 0 : session->drag_ids[k];

    // Tearing removes cells with too much stress, and so may have removed nodes. Then the stored node index may be too
    // large.
    const bool is_there = drags->node[k] < session->mesh.node_count;
    if (id && (drags->held[k] != id || !is_there)) drags->node[k] = centre_node(session, &drag->region);

    // The origin is the node's position at the start of the grab (group of pulled nodes) with this id. It is read in
    // each step, because the id may belong to another grab after the user has returned to an earlier step.
    Error error = { 0 };
    if (id && !simulation_grab_start(session->simulation, id, drags->node[k], drags->origin[k], &error)) continue;
    drags->held[k] = id;
    if (!id || !drag->region.has_ball)
      continue;  // has no spring: a drag of a region that is not a ball prescribes the nodes' motion
    const int node = drags->node[k];
    double offset[3];
    session_drag_offset(drag, simulation_time(session->simulation), offset);
    Spring *spring = &drags->springs[drags->count++];
    *spring = (Spring){ .nodes = { node, node, node }, .barycentric = { 1, 0, 0 } };
    for (int i = 0; i < 3; i++) spring->target[i] = drags->origin[k][i] + offset[i];
  }
}
