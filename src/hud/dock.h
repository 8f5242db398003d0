// The docked plots: a panel at the bottom of the window, which is as wide as the window. The picture of the body is
// above it.
#pragma once
#include "hud/panel.h"

#ifdef __cplusplus
extern "C" {
#endif

// Height of the docked plots in heights of text: initial, smallest and largest value. In low windows the largest height
// is smaller, so that space is left for the picture.
enum { HUD_DOCK_HEIGHT = 20, HUD_DOCK_HEIGHT_MIN = 10, HUD_DOCK_HEIGHT_MAX = 60 };

typedef struct HudDock {
  HudPanel *panel;  // its plots and curves are shown
  double height;    // height that the user wants, in heights of text
  int pixels;       // present height, from hud_dock_pixels
  bool drags;       // the mouse is dragging the upper edge, which changes `height`
  bool close;       // button: show the plots in the panel again
} HudDock;

/// Returns the height of docked plots in a window of this height, pixels. wanted: in heights of text; em: height of
/// text, pixels. The result is 0 if the window is too low for docked plots.
int hud_dock_pixels(double wanted, double em, int height);

/// Draws the docked plots at the bottom of a window of width x height pixels. Must be called within a frame of Dear
/// ImGui.
void hud_dock_draw(HudDock *dock, float width, float height);

#ifdef __cplusplus
}
#endif
