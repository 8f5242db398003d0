// The start camera of a scene: the scene's own, or one that shows the whole body.
#pragma once
#include "render/camera.h"
#include "scene/session.h"

/// Gives the camera for pictures of aspect ratio width / height. Fails if the scene's camera defines no view.
bool scene_camera(const Session *session, double aspect, Camera *camera, Error *error);

/// Stores the camera in the scene, so that scene_camera gives the same view.
void scene_set_camera(Scene *scene, const Camera *camera);
