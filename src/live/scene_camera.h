// The initial camera of a scene: the camera in the scene file or, if the file has none, a camera that shows all bodies.
#pragma once
#include "render/camera.h"
#include "scene/session.h"

/// Computes the initial camera of a scene. `aspect` is the width of the picture divided by its height. Fails if the
/// camera in the scene file is invalid.
bool scene_camera(const Session *session, double aspect, Camera *camera, Error *error);

/// Stores a camera in the scene. scene_camera then returns it.
void scene_set_camera(Scene *scene, const Camera *camera);
