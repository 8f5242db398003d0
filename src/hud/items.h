// Two lists of the HUD's widgets in the last frame, for tests: the names and positions of widgets, and the names of
// widgets that do not fit into their windows. This module also shows the help texts of widgets.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the name, and the centre in pixels, of widget `index` in the list of the last frame's widgets.
/// Returns false if there are fewer widgets.
bool hud_item(int index, const char **name, double pixel[2]);

/// Returns the name of entry `index` in the list of clipped widgets of the last frame: widgets that extend beyond their
/// window, or with text that is cut off. Returns false if there are fewer entries. Tests expect an empty list.
bool hud_clipped(int index, const char **name);

/// Clears the lists of widgets and of clipped widgets. Must be called before the panel is drawn, or in a frame without
/// a panel.
void hud_items_clear(void);

/// Adds the last drawn widget to the list of widgets (hud_item). If it extends beyond its window, also adds it to the
/// list of clipped widgets (hud_clipped).
void hud_items_note(const char *name);

/// Adds a widget at these pixels to the list of widgets.
void hud_items_add(const char *name, const double pixel[2]);

/// Adds `name` to the list of clipped widgets (hud_clipped) if the last drawn text extends beyond its window.
void hud_items_note_text(const char *name, const char *text);

/// Adds `name` to the list of clipped widgets (hud_clipped) if `fits` is false.
void hud_items_check(const char *name, bool fits);

/// Shows a help text while the mouse is over the last drawn widget. help: NULL or "": none.
void hud_items_tooltip(const char *help);

#ifdef __cplusplus
}
#endif
