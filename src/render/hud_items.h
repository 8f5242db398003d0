// Records the widgets and texts of the last frame of the HUD: names, pixels, and a list of those that do not fit.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns name and centre pixel of the index-th widget of the panel, or of the page of keys, in the last frame.
/// Returns false if `index` is past the end.
bool hud_item(int index, const char **name, double pixel[2]);

/// Returns the name of the index-th widget of the last frame that is clipped, or whose text is clipped. Tests expect
/// none. Returns false if `index` is past the end.
bool hud_clipped(int index, const char **name);

/// Clears both lists. Call before the panel is drawn, or if there is no panel.
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
