// Small drawn pictures: icons of the toolbar, mice with a lit button, and keys. Used by files of src/hud only.
#pragma once
#include <stdbool.h>

struct ImDrawList;  // list of shapes of Dear ImGui, to which these functions add

#ifdef __cplusplus
extern "C" {
#endif

/// Draws the strokes of an icon (HudButton.icon) into a square with the upper left corner (x, y). side: pixels.
void hud_icon_draw(struct ImDrawList *list, const char *icon, float x, float y, float side, unsigned color);

/// Draws a picture of a mouse action into such a square: a mouse whose used button is lit. words: description of the
/// action, such as "left drag" or "wheel". Draws nothing and returns false if the words describe no mouse action.
bool hud_mouse_draw(struct ImDrawList *list, const char *words, float x, float y, float side, unsigned color,
                    unsigned lit);

/// Draws a key of a keyboard into such a square.
void hud_key_draw(struct ImDrawList *list, float x, float y, float side, unsigned color);

#ifdef __cplusplus
}
#endif
