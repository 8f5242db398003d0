// How a camera follows keys and the mouse, alike in every window.
#pragma once
#include "render/camera.h"
#include "render/window.h"

/// 1, 3 and 7 look from the front, the side and the top, with shift from the other side, and arrows turn; false, and
/// nothing done, for other keys.
bool camera_take_key(Camera *camera, const WindowEvent *event);

/// Turns as the mouse moves by so many pixels in a picture of this height.
void camera_take_turn(Camera *camera, double dx, double dy, int height);
