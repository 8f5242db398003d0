// The widgets and texts of the HUD as drawn last: their names and pixels, and those that do not fit.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The index-th widget of the panel, or the page of keys, as drawn last: its name and the pixel at its middle. False
/// past the last.
bool hud_item(int index, const char **name, double pixel[2]);

/// The index-th widget of the last picture that does not fit, or whose text does not: none, it is hoped. False past the
/// last.
bool hud_clipped(int index, const char **name);

/// Forgets all of them, before the panel is drawn anew or where there is none.
void hud_items_forget(void);

/// Remembers the widget drawn last by a name, for hud_item, and whether it lies within its window, for hud_clipped.
void hud_items_note(const char *name);

/// Remembers for hud_clipped whether the text drawn last lies within its window.
void hud_items_note_text(const char *name, const char *text);

/// Something of this name fits where it stands, or not: for hud_clipped.
void hud_items_check(const char *name, bool fits);

#ifdef __cplusplus
}
#endif
