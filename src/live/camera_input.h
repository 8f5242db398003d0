// Keys and mouse movements that change the camera. All windows use the same keys.
#pragma once
#include "render/camera.h"
#include "render/window.h"

/// Applies a key: 1, 3 and 7 select the front, side and top view, with shift the opposite ones; arrows turn the camera.
/// Returns false for other keys and changes nothing.
bool camera_take_key(Camera *camera, const WindowEvent *event);

/// Turns the camera after the mouse moved by (dx, dy) pixels. height: height of the picture, pixels.
void camera_take_turn(Camera *camera, double dx, double dy, int height);
