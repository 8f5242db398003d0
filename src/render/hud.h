// The text over the picture: Dear ImGui behind a C interface. It makes its own OpenGL loader and keeps OpenGL's state.
#pragma once
#include "render/color_map.h"
#include "render/hud_axes.h"
#include "render/hud_browser.h"
#include "render/hud_panel.h"
#include "render/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/// With the context of a window current, or without a window (NULL) that of an Offscreen. There is one HUD at a time.
bool hud_create(Window *window, Error *error);
void hud_destroy(void);

enum { HUD_LABELS_MAX = 8 };

// What explains the picture itself, and is recorded with it: the colours' legend, and words at places.
typedef struct HudOverlay {
  const char *title, *unit;           // of the colours; title NULL: no legend
  float colors[COLOR_MAP_POINTS][3];  // sRGB, from low to high
  double range[2];
  bool below, above;  // values lie beyond the range's ends
  double scale;       // m that a pixel shows of where the view turns about; 0: no scale bar
  double grid;        // m, spacing of the floor's; 0: there is none
  double arrow;       // what the longest arrow stands for; 0: there are none
  const char *arrow_title, *arrow_unit;
  bool cuts;         // a line is drawn along which the body is to be cut:
  double cut[2][2];  // its ends, pixels
  int label_count;
  struct {
    double pixel[2];
    char text[320];  // may have several lines
  } labels[HUD_LABELS_MAX];
} HudOverlay;

// What can be worked with the mouse; NULL: it is not there.
typedef struct HudTools {
  HudPanel *panel;      // at the right
  HudBrowser *browser;  // in the middle
  HudAxes *axes;        // at the lower left
  HudRows *rows;        // in the panel's place
} HudTools;

/// Begins a picture's HUD with the events since the last: hud_wants_keys and hud_wants_mouse then answer for these.
void hud_begin(const WindowEvent *events, int count);

/// Whether keys are being typed into a field of the HUD.
bool hud_wants_keys(void);

/// Closes the list that is open in the panel with the next hud_draw; false where none is.
bool hud_close_list(void);

/// Whether the mouse is over something of the HUD, which then takes its events.
bool hud_wants_mouse(void);

/// The same without a window, in the framebuffer that is bound, width x height pixels.
void hud_begin_picture(int width, int height);

/// Draws only an overlay into the framebuffer that is bound, width x height pixels: for pictures without a window.
void hud_draw_overlay(const HudOverlay *overlay, int width, int height);

/// Ends the picture's HUD: draws `overlay`, `line` at the top, `warning` below it in another colour (where not empty),
/// `help` at the bottom, `tools`, and `keys`, a page of text, in the middle unless it is NULL.
void hud_draw(const HudOverlay *overlay, const char *line, const char *warning, const char *help, const HudTools *tools,
              const char *keys);

#ifdef __cplusplus
}
#endif
