// The springs of the drags in a scene (key "drags"), for drawing.
#pragma once
#include "render/surface_renderer.h"
#include "scene/session.h"

// A DragSprings is zeroed before the first step.
typedef struct DragSprings {
  int count;
  Spring springs[SCENE_PARTS_MAX];    // the springs that pull now
  int held[SCENE_PARTS_MAX];          // for each drag, id of the grab to which `node` and `origin` belong
  int node[SCENE_PARTS_MAX];          // for each drag, node at which its spring is drawn
  double origin[SCENE_PARTS_MAX][3];  // m, position of the node when it was grabbed
} DragSprings;

/// Called after each step that is drawn. The result depends only on the session, so a resumed session draws the same
/// springs.
void drag_springs_update(DragSprings *drags, const Session *session);
