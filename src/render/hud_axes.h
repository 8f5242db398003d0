// The axes of the world, drawn in a corner of the picture. Clicking an end turns the camera.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HudAxes {
  double direction[3][3];  // components of each world axis along the picture's right, up and view direction; unit
                           // vectors
  int clicked;             // end of an axis that was clicked in this frame: 0 to 5 for +x, -x, +y, -y, +z, -z; -1: none
} HudAxes;

/// Draws the axes with their lower left corner at (left, bottom), pixels. Called within a frame of Dear ImGui. Returns
/// their height, pixels.
float hud_axes_draw(HudAxes *axes, float left, float bottom);

#ifdef __cplusplus
}
#endif
