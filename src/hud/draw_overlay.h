// Draws explanations over a picture: legend, scale bar, lines, labels and lines of text. Used by hud.cpp only.
#pragma once
#include "hud/hud.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Draws an overlay into the area from corner `low` to corner `high`, pixels, that widgets leave free. The legend at
/// the left ends at the y coordinate left_end. legend: gets the mouse's drags of the legend's ends; NULL: none. Must be
/// called within a frame of Dear ImGui.
void hud_overlay_draw(const HudOverlay *overlay, const float low[2], const float high[2], float left_end,
                      HudLegend *legend);

/// Draws text on a plain rectangle with the upper left corner (x, y), wrapped at the width `wrap`, pixels; 0: not
/// wrapped. The colour of the text depends on `kind`. Returns the lower edge of the rectangle, pixels.
float hud_text_on_plate(float x, float y, const char *text, HudMessageKind kind, float wrap);

/// As hud_text_on_plate, but draws above all widgets. bottom: lower edge of the rectangle.
void hud_text_above_widgets(float x, float bottom, const char *text, HudMessageKind kind, float wrap);

/// Returns the height of the rectangle that hud_text_on_plate draws, pixels.
float hud_plate_height(const char *text, float wrap);

#ifdef __cplusplus
}
#endif
