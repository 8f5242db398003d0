// The axes of the world in a corner of the picture. A click on an end of an axis turns the camera.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HudAxes {
  double direction[3][3];  // row k: unit vector of world axis k along the picture's right, up and view directions
  int clicked;             // end of an axis that was clicked: 0 to 5 for +x, -x, +y, -y, +z, -z; -1: none
} HudAxes;

/// Draws the axes with their lower left corner at (left, bottom), pixels. Must be called within a frame of Dear ImGui.
/// Returns their height, pixels.
float hud_axes_draw(HudAxes *axes, float left, float bottom);

#ifdef __cplusplus
}
#endif
