// The text over the picture: Dear ImGui behind a C face. It makes its own OpenGL loader and keeps OpenGL's state.
#pragma once
#include "render/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/// After window_create, with its context current. There is one HUD at a time.
bool hud_create(Window *window, Error *error);
void hud_destroy(void);

enum { HUD_SAMPLES = 120 };

// What the panel shows and lets the user change. The caller fills it before hud_draw, which writes back.
typedef struct HudPanel {
  double young, poisson, damping, gravity[3], dt,
      speed;  // Pa, 1/s, m/s^2, s, simulated over real seconds (0: no limit)
  int newton_max;
  double newton_relative;
  bool paused;
  // what the user did in this frame
  bool changed, pause, step, reset, release;
  // plots, oldest first
  int samples;
  float kinetic[HUD_SAMPLES], elastic[HUD_SAMPLES], newton[HUD_SAMPLES], cg[HUD_SAMPLES];
} HudPanel;

/// Whether keys are being typed into a field of the HUD.
bool hud_wants_keys(void);

/// Whether the mouse is over something of the HUD, which then takes what it does.
bool hud_wants_mouse(void);

/// Draws `line` at the top, `warning` below it in another colour (where not empty), `help` at the bottom, the panel at the right
/// unless it is NULL, and `keys`, a page of text, in the middle unless it is NULL.
void hud_draw(const char *line, const char *warning, const char *help, HudPanel *panel, const char *keys);

#ifdef __cplusplus
}
#endif
