// The toolbar: a column of buttons with drawn icons at the left edge of the window.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_BUTTONS_MAX = 24 };

// A button of the toolbar.
typedef struct HudButton {
  const char *name;  // for tests (items.h)
  const char *help;  // text while the mouse rests on the button
  // Strokes of the icon on a square of 16 x 16 units, with y downwards. "M x y" begins a line at a point, "L x y" draws
  // it to the next point, "Z" draws it back to its first point, and "O x y r" draws a circle with centre and radius.
  const char *icon;
  bool active;  // the button is lit, as the chosen tool
  bool dimmed;  // the button has no effect now
  bool spaced;  // there is a gap before the button
} HudButton;

typedef struct HudToolbar {
  HudButton button[HUD_BUTTONS_MAX];  // [count]
  int count;
  int clicked;  // index of the button that was clicked in this frame; -1: none
} HudToolbar;

/// Draws the toolbar with its upper left corner at (left, top), pixels, in one column, or in several if `height` is too
/// small. Draws nothing if the columns need more than a third of `width`. Must be called within a frame of Dear ImGui.
/// Returns the width of the toolbar, pixels; 0: not drawn.
float hud_toolbar_draw(HudToolbar *toolbar, float left, float top, float width, float height);

#ifdef __cplusplus
}
#endif
