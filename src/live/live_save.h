// Writes the present state of a running session as a scene file.
#pragma once
#include "live/live.h"

/// Writes the path to which a scene is saved: `named`, unless it is empty. Else the scene's own file if `overwrites`,
/// which must be false if the user has written this file, or else a new file in the working directory.
bool live_save_path(const char *named, const char *scene, bool overwrites, char path[PATH_LENGTH], Error *error);

/// Writes a scene file from which a run starts in the present state, with this camera, these stored views and this
/// style. mouse_stiffness, N/m, is written to the scene; 0 means the value of simulation_mouse_stiffness. If the style
/// chooses the colour range automatically, the caller must first store the shown range in `style`.
bool live_save(Live *live, const Camera *camera, const SceneViews *views, const Style *style, double mouse_stiffness,
               const char *path, Error *error);
