// Writes a session as a scene file.
#pragma once
#include "live/live.h"

/// Writes the present state by scene_save, with this camera and style. mouse_stiffness: key of the scene, N/m; 0: the
/// value of simulation_mouse_stiffness. If the style has no fixed range of colours, the caller must set the range that
/// is shown.
bool live_save(Live *live, const Camera *camera, const Style *style, double mouse_stiffness, const char *path,
               Error *error);
