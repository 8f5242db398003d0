// The camera a scene begins with: the scene's own, or one that shows the whole body.
#pragma once
#include "render/camera.h"
#include "scene/session.h"

/// For pictures of this shape (width / height). Fails where the scene's camera gives no view.
bool scene_camera(const Session *session, double aspect, Camera *camera, Error *error);
