// The command palette: a list of commands, tools, materials and settings that match typed words.
#pragma once
#include "hud/palette.h"

typedef struct Action Action;  // see view.h
typedef struct Tool Tool;      // an effect of the left button, see view_tools.h

enum { PALETTE_ROWS_MAX = 160 };

// Effect of a line of the command palette: an action, a tool, a material, or a row of the panel.
typedef struct PaletteTarget {
  const Action *action;   // NULL: none
  const Tool *tool;       // NULL: none
  int preset;             // 1 + index of a material in HudPanel.presets; 0: none
  const char *key, *tab;  // row of the panel: key of its option or name of its HudOtherRow, and its tab; NULL: none
  int rank;               // quality of the match with the typed text, from view_palette_rank
} PaletteTarget;

// The command palette: the typed text, and the lines that match it.
typedef struct Palette {
  char typed[96];
  bool listed;  // `row` contains the lines that match the present text `typed`
  int count, label_count;
  HudPaletteRow row[PALETTE_ROWS_MAX];     // [count]
  PaletteTarget target[PALETTE_ROWS_MAX];  // [count]
  char label[PALETTE_ROWS_MAX][48];        // [label_count], names of settings, to which `row` points
  HudPalette hud;
} Palette;
