// The text over the picture: Dear ImGui behind a C face. It makes its own OpenGL loader and keeps OpenGL's state.
#pragma once
#include "render/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/// With the context of a window current, or without a window (NULL) that of an Offscreen. There is one HUD at a time.
bool hud_create(Window *window, Error *error);
void hud_destroy(void);

enum { HUD_SAMPLES = 120, HUD_LABELS_MAX = 8 };

// What explains the picture itself, and is recorded with it: the colours' legend, and words at places.
typedef struct HudOverlay {
  const char *title, *unit;  // of the colours; title NULL: no legend
  const float (*colors)[3];  // [COLOR_MAP_POINTS] sRGB, from low to high
  double range[2];
  bool below, above;  // values lie beyond the range's ends
  int label_count;
  struct {
    double pixel[2];
    char text[48];
  } labels[HUD_LABELS_MAX];
} HudOverlay;

enum { HUD_NAMES_MAX = 32 };

// Names to choose one from; chosen -1: none.
typedef struct HudChoice {
  char names[HUD_NAMES_MAX][40];
  int count, chosen;
} HudChoice;

// What the panel shows and lets the user change. The caller fills it before hud_draw, which writes back.
typedef struct HudPanel {
  // the body and its world
  double young, poisson, mu, lambda, density;  // Pa, -, Pa, Pa, kg/m^3; the two ways to give the moduli are linked
  double damping, gravity[3];                  // 1/s, m/s^2
  bool has_floor;
  double floor, floor_low, floor_high, friction;            // m, its slider's range, coefficient
  double mouse_stiffness, natural_stiffness, mouse_radius;  // N/m, what the simulation would choose, m
  // how it is computed
  HudChoice device, precision, assembly, matrix, solver, integrator;
  double dt, speed;  // s, simulated over real seconds (0: no limit)
  int newton_max;
  double newton_relative, cg_relative;
  // how it is drawn
  HudChoice field;
  bool wireframe, pins, section, section_flip, fixed_range;
  HudChoice section_axis;
  double section_at, low, high;
  // files
  char path[1024];
  HudChoice scenes;  // to open by a click; where none is chosen, it is the path
  // recording
  bool recording, png, film, vtu;
  int record_size[2];
  double record_fps;
  const char *record_told;  // what became of it
  // what the user did in this frame
  bool changed, mouse_changed, switched, viewed;  // body, world, tolerances or speed; the mouse; stages; the picture
  bool pause, step, reset, release, open, record;
  // what it shows
  bool paused;
  int samples;  // of the plots, oldest first
  float kinetic[HUD_SAMPLES], elastic[HUD_SAMPLES], potential[HUD_SAMPLES], total[HUD_SAMPLES];
  float linear[HUD_SAMPLES], angular[HUD_SAMPLES], newton[HUD_SAMPLES], cg[HUD_SAMPLES], real_time[HUD_SAMPLES];
  float stages[5][HUD_SAMPLES];  // ms: assembly, vector alone, linear solver, transfers, rest
} HudPanel;

/// The index-th thing of the panel that can be clicked, or the page of keys, as it was drawn last: its name and the pixel at its middle. False
/// past the last.
bool hud_item(int index, const char **name, double pixel[2]);

/// Begins a picture's HUD with what the user did since the last: what the functions below say is about these events.
void hud_begin(const WindowEvent *events, int count);

/// Whether keys are being typed into a field of the HUD.
bool hud_wants_keys(void);

/// Closes the list that is open in the panel with the next hud_draw; false where none is.
bool hud_close_list(void);

/// Whether the mouse is over something of the HUD, which then takes what it does.
bool hud_wants_mouse(void);

/// Draws only an overlay into the framebuffer that is bound, width x height pixels: for pictures without a window.
void hud_draw_overlay(const HudOverlay *overlay, int width, int height);

/// Ends it: draws `overlay`, `line` at the top, `warning` below it in another colour (where not empty), `help` at the bottom, the panel at the right
/// unless it is NULL, and `keys`, a page of text, in the middle unless it is NULL.
void hud_draw(const HudOverlay *overlay, const char *line, const char *warning, const char *help, HudPanel *panel,
              const char *keys);

#ifdef __cplusplus
}
#endif
