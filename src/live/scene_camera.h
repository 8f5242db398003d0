// The camera with which a scene starts: the camera that the scene defines, or a camera that shows the whole body.
#pragma once
#include "render/camera.h"
#include "scene/session.h"

/// Computes the camera with which a scene starts, for pictures of aspect ratio width / height. Fails if the camera in
/// the scene defines no view.
bool scene_camera(const Session *session, double aspect, Camera *camera, Error *error);

/// Stores a camera in the scene, so that scene_camera then gives the same view.
void scene_set_camera(Scene *scene, const Camera *camera);
