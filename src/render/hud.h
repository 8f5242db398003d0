// The text over the picture: Dear ImGui behind a C face. It makes its own OpenGL loader and keeps OpenGL's state.
#pragma once
#include "render/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/// After window_create, with its context current. There is one HUD at a time.
bool hud_create(Window *window, Error *error);
void hud_destroy(void);

/// Whether the mouse is over something of the HUD, which then takes what it does.
bool hud_wants_mouse(void);

/// Draws `line` at the top, `warning` below it in another colour (where not empty), and `help` at the bottom.
void hud_draw(const char *line, const char *warning, const char *help);

#ifdef __cplusplus
}
#endif
