// The initial camera of a scene: the camera in the scene file or, if the file has none, a camera that shows all bodies.
#pragma once
#include "render/camera.h"
#include "scene/session.h"

/// Computes the initial camera of a scene. `aspect` is the width of the picture divided by its height. Fails if the
/// camera in the scene file is invalid.
bool scene_camera(const Session *session, double aspect, Camera *camera, Error *error);

/// Moves a camera to a stored view and sets its field of view. Does not change the members that depend on the body.
/// Fails if the stored view is invalid, see camera_look.
bool scene_camera_use(const SceneCamera *stored, Camera *camera, Error *error);

/// Returns a camera in the form of scene files.
SceneCamera scene_camera_of(const Camera *camera);
