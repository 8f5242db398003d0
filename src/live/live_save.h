// A session under the user's hand as a saved scene.
#pragma once
#include "live/live.h"

/// scene_save of the session as it is now, seen so. `mouse_stiffness` as in Scene; of a style whose range follows what
/// has been seen, the caller gives the range that is shown.
bool live_save(Live *live, const Camera *camera, const Style *style, double mouse_stiffness, const char *path,
               Error *error);
