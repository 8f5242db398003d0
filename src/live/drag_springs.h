// The springs of a scene's scripted drags, for drawing.
#pragma once
#include "render/surface_renderer.h"
#include "scene/session.h"

// Zeroed before the first step.
typedef struct DragSprings {
  int count;
  Spring springs[SCENE_PARTS_MAX];    // springs that pull now
  int held[SCENE_PARTS_MAX];          // id of the grab to which `node` and `origin` of each drag belong
  int node[SCENE_PARTS_MAX];          // the node at which the spring of each drag is drawn
  double origin[SCENE_PARTS_MAX][3];  // m, position of the node when it was grabbed
} DragSprings;

/// Call after each step that is drawn. The result depends on the session only, so a resumed session draws the same
/// springs.
void drag_springs_update(DragSprings *drags, const Session *session);
