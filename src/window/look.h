// The look of the window that the user has chosen: text size, colours, width of the panel, and others. It is stored in
// the file look.json in the folder of state_path.h.
#pragma once
#include "hud/dock.h"
#include "hud/theme.h"
#include "window/run_window.h"

typedef struct Look {
  double text_size;  // factor on the height of text; panels have the size of their text
  HudTheme theme;
  double panel_width;  // heights of text
  HudSide panel_side;  // edge of the window at which the panel is
  bool docked;         // the plots are at the bottom of the window
  double dock_height;  // height of the docked plots, heights of text
  bool advanced;       // the panel shows the rows below its heading "Advanced"
  int hints;           // number of hints for new users (view_hints.c) that have ended
} Look;

/// Reads the stored look, applies the options --theme and --text-size, and makes the HUD show the result. On failure,
/// for example if the file is damaged, the look is the default one with these options. A missing file is no failure.
bool look_begin(Look *look, const WindowOptions *options, Error *error);

/// Makes the HUD show the text size and the colours of a look.
void look_show(const Look *look);

/// Stores the values in which `now` differs from `before`, the look before the user's change. Other stored values stay
/// as they are.
bool look_store(const Look *before, const Look *now, Error *error);
