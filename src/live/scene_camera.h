// The camera a scene begins with, its own or one that shows the whole body; and the other way round.
#pragma once
#include "render/camera.h"
#include "scene/session.h"

/// For pictures of this shape (width / height). Fails where the scene's camera gives no view.
bool scene_camera(const Session *session, double aspect, Camera *camera, Error *error);

/// Makes it the scene's own, so that scene_camera gives the same view.
void scene_set_camera(Scene *scene, const Camera *camera);
