// The springs of a scene's scripted drags, to be drawn.
#pragma once
#include "render/surface_renderer.h"
#include "scene/session.h"

// Zeroed before the first step.
typedef struct DragSprings {
  int count;
  Spring springs[SCENE_PARTS_MAX];    // those that pull now
  int held[SCENE_PARTS_MAX];          // the grab id that `node` and `origin` belong to
  int node[SCENE_PARTS_MAX];          // the node that stands for what each drag holds
  double origin[SCENE_PARTS_MAX][3];  // m, where that was when it was grabbed
} DragSprings;

/// To be called after each step that is drawn. All follows from the session alone, so that a resumed session draws the
/// springs where they were.
void drag_springs_update(DragSprings *drags, const Session *session);
