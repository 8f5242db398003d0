// Writes the present state of a running session as a scene file.
#pragma once
#include "live/live.h"

/// Chooses the file to which a scene is saved, and writes its path to `path`. This is `named` if it is not empty,
/// otherwise the scene's file `scene` if `overwrites` is true, otherwise a new file in the working directory.
/// `overwrites` must be false if the user has written the file `scene` by hand.
bool live_save_path(const char *named, const char *scene, bool overwrites, char path[PATH_LENGTH], Error *error);

/// Writes a scene file from which a run starts in the present state, with this camera, these stored views and this
/// style. The scene gets mouse_stiffness, N/m; 0 means the value of simulation_mouse_stiffness. It also gets
/// mouse_radius, m, unless this is 0. If the style chooses the colour range automatically, the caller must first store
/// the shown range in `style`.
bool live_save(Live *live, const Camera *camera, const SceneViews *views, const Style *style, double mouse_stiffness,
               double mouse_radius, const char *path, Error *error);
