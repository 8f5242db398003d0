// Moves a camera by keys and the mouse, with the same keys in every window.
#pragma once
#include "render/camera.h"
#include "render/window.h"

/// Applies a key. 1, 3 and 7 select the front, side and top view. With shift they select the opposite views. Arrows
/// turn the camera. For other keys the function returns false and changes nothing.
bool camera_take_key(Camera *camera, const WindowEvent *event);

/// Turns the camera for a mouse movement of (dx, dy) pixels in a picture that is `height` pixels high.
void camera_take_turn(Camera *camera, double dx, double dy, int height);
