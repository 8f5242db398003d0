// The panel's widgets, for hud.cpp.
#pragma once
#include "render/hud.h"

/// Draws it at the right end of a window `width` wide, within Dear ImGui's frame.
void hud_panel_draw(HudPanel *panel, float width, float margin);

/// Closes the open list, if there is one, when the panel is drawn next.
void hud_panel_close_list(void);

/// Remembers the widget drawn last by a name, for hud_item.
void hud_panel_note(const char *name);

/// The panel is not drawn now: hud_item has nothing.
void hud_panel_forget(void);
