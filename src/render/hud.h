// The HUD (head-up display): text and widgets over the picture. This is a C interface to the library Dear ImGui. Dear
// ImGui has its own OpenGL loader, and restores OpenGL's state after drawing.
#pragma once
#include "render/color_map.h"
#include "render/hud_axes.h"
#include "render/hud_browser.h"
#include "render/hud_panel.h"
#include "render/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates the HUD. The current OpenGL context must be that of the window or, if `window` is NULL, that of an
/// Offscreen. Only one HUD can exist at a time.
bool hud_create(Window *window, Error *error);
void hud_destroy(void);

enum { HUD_LABELS_MAX = 8 };

// Explanations that belong to the picture and are recorded with it: legend, scale bar, and labels at points of the
// body.
typedef struct HudOverlay {
  const char *title, *unit;           // title and unit of the legend; title NULL: no legend
  float colors[COLOR_MAP_POINTS][3];  // sRGB colours of the legend, from the low to the high end
  double range[2];
  bool below, above;  // values below or above the range exist; the value at that end of the legend then has the sign ≤
                      // or ≥
  double scale;       // size of a pixel at the depth of the camera's target, m; 0: no scale bar
  double grid;        // m, spacing of the floor's grid; 0: no floor
  double arrow;       // value of the longest arrow; 0: no arrows
  const char *arrow_title, *arrow_unit;
  bool cuts;         // the line of a cut by the mouse is drawn
  double cut[2][2];  // ends of the cut's line, pixels
  int label_count;
  struct {
    double pixel[2];
    char text[320];  // text of the label; it may contain newlines
  } labels[HUD_LABELS_MAX];
} HudOverlay;

// The widgets that the mouse can operate; NULL: absent.
typedef struct HudTools {
  HudPanel *panel;      // panel at the right edge
  HudBrowser *browser;  // file browser in the middle
  HudAxes *axes;        // axes of the world at the lower left
  HudRows *rows;        // settings at the right edge, instead of a panel
} HudTools;

/// Begins the HUD of a picture, with the window's events since the previous picture. hud_wants_keys and hud_wants_mouse
/// then refer to these events.
void hud_begin(const WindowEvent *events, int count);

/// Returns true if a text field of the HUD has the keyboard.
bool hud_wants_keys(void);

/// Requests that the next hud_draw closes the panel's open list. Returns false if no list is open.
bool hud_close_list(void);

/// Returns true if the HUD uses the mouse events, because the mouse is over a widget.
bool hud_wants_mouse(void);

/// As hud_begin, but without a window: for the framebuffer that is bound, which has width x height pixels.
void hud_begin_picture(int width, int height);

/// Draws only an overlay, for pictures without a window. The bound framebuffer has width x height pixels.
void hud_draw_overlay(const HudOverlay *overlay, int width, int height);

/// Draws the HUD of the picture and ends it. It consists of `overlay`, `tools`, `line` at the top, and `help` at the
/// bottom. A `warning` that is not empty follows `line` in another colour. `keys` is a page of text in the middle of
/// the picture; NULL: no page.
void hud_draw(const HudOverlay *overlay, const char *line, const char *warning, const char *help, const HudTools *tools,
              const char *keys);

#ifdef __cplusplus
}
#endif
