// The command palette: a text field, and a list of commands and settings that match the typed text.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A line of the palette's list: a command or a setting.
typedef struct HudPaletteRow {
  const char *name, *help;  // help: text that explains the command or setting
  char note[40];            // key of a command, or value of a setting
  bool setting;             // the line is a setting of the panel, not a command
} HudPaletteRow;

// State of the palette. The caller fills it before hud_draw, which stores the user's clicks in it.
typedef struct HudPalette {
  const char *typed;         // text in the field
  const HudPaletteRow *row;  // [count], lines of the list
  int count, chosen;         // number of lines, and index of the highlighted one
  bool moved;                // a key has changed `chosen`, so the list scrolls to it
  int entered;               // index of the line that the user has clicked in this frame; -1: none
} HudPalette;

/// Draws the palette at the top of the space between the x coordinates `left` and `right`. These, the height of the
/// window and the margin are in pixels. Must be called within a frame of Dear ImGui.
void hud_palette_draw(HudPalette *palette, float left, float right, float height, float margin);

#ifdef __cplusplus
}
#endif
