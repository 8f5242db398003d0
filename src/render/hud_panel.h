// The panel's widgets, for hud.cpp.
#pragma once
#include "render/hud.h"

/// Draws it at the right end of a window `width` wide, within Dear ImGui's frame.
void hud_panel_draw(HudPanel *panel, float width, float margin);

/// The list that is open, if any, closes when it is drawn next.
void hud_panel_close_list(void);

/// Remembers the widget drawn last by a name, for hud_item.
void hud_panel_note(const char *name);

/// Nothing of it is drawn now: hud_item has nothing.
void hud_panel_forget(void);
