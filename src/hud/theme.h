// The colours of the HUD: a dark and a light theme.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "hud/plot.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HUD_THEMES "dark|light"
typedef enum HudTheme { HUD_DARK, HUD_LIGHT, HUD_THEME_COUNT } HudTheme;

// Colours as numbers 0xAABBGGRR, as in Dear ImGui (ImU32), of alpha, blue, green and red.
typedef struct HudColors {
  bool light;                             // dark text on light backgrounds
  uint32_t text, dim, highlight;          // text of widgets: normal, of notes, of names in lists
  uint32_t window, popup, border, line;   // backgrounds, edges of popups, lines between groups
  uint32_t field, field_lit;              // background of fields; under the mouse
  uint32_t button, button_lit, pressed;   // background of buttons; under the mouse; of pressed or chosen ones
  uint32_t row, row_lit, tab, selection;  // background of the chosen row; under the mouse; of the open tab; of text
  uint32_t mark;                          // ticks, sliders and cursors
  uint32_t refused;                       // background of a field whose value was refused
  uint32_t plate, words, warning, error;  // text over the picture: background, text, text of warnings and of errors
  uint32_t alarm;                         // bar at the left edge of an error
  uint32_t plot, grid, axis, pointer;     // plots: background, lines, numbers, line under the mouse
  uint32_t series[HUD_SERIES_MAX];        // curves of plots
} HudColors;

/// Chooses the theme of the HUD, from the next frame on; HUD_DARK at the start. Recorded pictures have it too.
void hud_set_theme(HudTheme theme);

/// Returns the colours of the chosen theme.
const HudColors *hud_colors(void);

#ifdef __cplusplus
}
#endif
