// The look of the window that the user has chosen.
#pragma once
#include "render/hud_panel.h"
#include "render/hud_theme.h"

typedef struct Look {
  double text_size;  // factor on the height of text; panels have the size of their text
  HudTheme theme;
  double panel_width;  // heights of text
} Look;

static const double TEXT_SIZE_MIN = 0.75, TEXT_SIZE_MAX = 2, TEXT_SIZE_STEP = 0.125;
