// Springs that are drawn in pictures for the drags of a scene. A drag (an entry of the scene's "drags") pulls a part of
// a body along a path.
#pragma once
#include "render/surface_renderer.h"
#include "scene/session.h"

// Springs that are drawn for the drags of a scene (entries of the key "drags", which pull nodes along paths). Must be
// zeroed before the first step.
typedef struct DragSprings {
  int count;
  Spring springs[SCENE_PARTS_MAX];  // [count], springs that pull now
  int held[SCENE_PARTS_MAX];  // for each drag, id of the grab (its group of pulled nodes) for which `node` was chosen
  int node[SCENE_PARTS_MAX];  // for each drag, the pulled node from which the drag's spring is drawn
  double origin[SCENE_PARTS_MAX][3];  // m, position of the node in node[k] when drag k began
} DragSprings;

/// Updates the springs that are drawn for the scene's drags (parts of a body that are pulled along a path). Must be
/// called after each step that is drawn. The result depends only on the session, so a session that continues from a
/// saved state draws the same springs.
void drag_springs_update(DragSprings *drags, const Session *session);
