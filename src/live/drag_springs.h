// The springs by which pictures show the drags of a scene (key "drags"). A drag pulls a part of a body along a path.
#pragma once
#include "render/surface_renderer.h"
#include "scene/session.h"

// A drag pulls the nodes of a region along a path. These are the springs that pictures show for the drags of a scene.
// Must be zeroed before the first step.
typedef struct DragSprings {
  int count;
  Spring springs[SCENE_PARTS_MAX];    // [count], springs that pull now
  int held[SCENE_PARTS_MAX];          // id of the grab of each drag for which `node` and `origin` were found
  int node[SCENE_PARTS_MAX];          // node of each drag at which its spring is drawn
  double origin[SCENE_PARTS_MAX][3];  // m, position of the drag's node when the drag began
} DragSprings;

/// Updates the springs that are drawn for the scene's drags (parts of a body that are pulled along a path). Must be
/// called after each step that is drawn. The result depends only on the session, so a session that continues from a
/// saved state draws the same springs.
void drag_springs_update(DragSprings *drags, const Session *session);
