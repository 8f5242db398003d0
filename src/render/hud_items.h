// Records the widgets and texts of the HUD's last frame: their names and positions, and a list of those that do not fit
// into their windows. Tests use these lists.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Gives the name and the centre, in pixels, of widget number `index` of the last frame: a widget of the panel or of
/// the page of keys. Returns false if there are fewer widgets.
bool hud_item(int index, const char **name, double pixel[2]);

/// Gives the name of entry number `index` in the list of widgets of the last frame that are clipped, or whose text is
/// clipped. Tests expect an empty list. Returns false if there are fewer entries.
bool hud_clipped(int index, const char **name);

/// Clears both lists. Called before the panel is drawn, or if there is no panel.
void hud_items_forget(void);

/// Records the last drawn widget under a name for hud_item. If it extends beyond its window, hud_clipped lists it.
void hud_items_note(const char *name);

/// Adds `name` to the list of hud_clipped if the last drawn text extends beyond its window.
void hud_items_note_text(const char *name, const char *text);

/// Adds `name` to the list of hud_clipped if `fits` is false.
void hud_items_check(const char *name, bool fits);

#ifdef __cplusplus
}
#endif
