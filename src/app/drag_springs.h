// The springs of a scene's scripted drags, to be drawn.
#pragma once
#include "app/session.h"
#include "render/surface_renderer.h"

// A zeroed DragSprings is one before the first step.
typedef struct DragSprings {
  int count;
  Spring springs[SCENE_PARTS_MAX];    // those that pull now
  double origin[SCENE_PARTS_MAX][3];  // m, where each drag's node was when it was grabbed
  int held[SCENE_PARTS_MAX];          // the grab id that `origin` belongs to
} DragSprings;

/// Call after each step that is to be drawn. Where a drag begins it reads the state, which waits for the device.
bool drag_springs_update(DragSprings *drags, Session *session, Error *error);
