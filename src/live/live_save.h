// Writes a session as a scene file.
#pragma once
#include "live/live.h"

/// Calls scene_save for the present state, camera and style. `mouse_stiffness` is as in Scene. If the style's colour
/// range is automatic, the caller gives the range that is shown.
bool live_save(Live *live, const Camera *camera, const Style *style, double mouse_stiffness, const char *path,
               Error *error);
