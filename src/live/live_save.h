// Writes a session as a scene file.
#pragma once
#include "live/live.h"

/// Calls scene_save for the present state, with this camera and style. `mouse_stiffness` is stored in the scene, N/m;
/// 0: the value of simulation_mouse_stiffness. If the style has no fixed range of colours, the caller passes the range
/// that is shown.
bool live_save(Live *live, const Camera *camera, const Style *style, double mouse_stiffness, const char *path,
               Error *error);
