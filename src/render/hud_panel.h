// The panel's widgets, for hud.cpp.
#pragma once
#include "render/hud.h"

/// Draws it at the right end of a window `width` wide, within Dear ImGui's frame.
void hud_panel_draw(HudPanel *panel, float width, float margin);

/// Nothing of it is drawn now: hud_item has nothing.
void hud_panel_forget(void);
