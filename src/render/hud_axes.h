// The axes of the world, drawn in a corner of the picture. Clicking an end turns the camera.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HudAxes {
  double direction[3][3];  // components of each axis along the picture's right, up and view direction; unit vectors
  int clicked;             // end clicked in this frame: 0 to 5 for +x, -x, +y ...; -1: none
} HudAxes;

/// Draws the axes with their lower left corner at (left, bottom), pixels. Call within a frame of Dear ImGui. Returns
/// their height.
float hud_axes_draw(HudAxes *axes, float left, float bottom);

#ifdef __cplusplus
}
#endif
