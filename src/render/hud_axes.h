// The axes of the world in a corner.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// The world's axes in the corner.
typedef struct HudAxes {
  double direction[3][3];  // each axis by the picture's right, up, and away from the eye; unit
  int clicked;             // the user's click in this frame: +x, -x, +y ... (0 to 5), -1: none
} HudAxes;

/// Draws them with their lower left corner there, within Dear ImGui's frame. Returns how high they reach.
float hud_axes_draw(HudAxes *axes, float left, float bottom);

#ifdef __cplusplus
}
#endif
