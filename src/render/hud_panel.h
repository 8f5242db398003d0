// The panel's widgets, for hud.cpp.
#pragma once
#include "render/hud.h"

/// Draws it at the right edge of a window of this size, within Dear ImGui's frame. Returns the x at which it begins.
float hud_panel_draw(HudPanel *panel, float width, float height, float margin);

/// The same of settings alone.
float hud_rows_draw(HudRows *rows, float width, float height, float margin);

/// How wide it is in a window of this width.
float hud_panel_width(float width, float margin);

/// Closes the open list, if there is one, when the panel is drawn next.
void hud_panel_close_list(void);

/// Remembers the widget drawn last by a name, for hud_item, and whether it lies within its window, for hud_clipped.
void hud_panel_note(const char *name);

/// The same for text drawn last.
void hud_panel_note_text(const char *name, const char *text);

/// Something of this name fits where it stands, or not: for hud_clipped.
void hud_panel_check(const char *name, bool fits);

/// The panel is not drawn now: hud_item has nothing.
void hud_panel_forget(void);
