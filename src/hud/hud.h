// The HUD (head-up display): text and widgets over the picture, drawn by the C++ library Dear ImGui. The program uses
// the HUD only by the C functions in this header. After drawing, the HUD restores OpenGL's previous state.
#pragma once
#include "hud/axes.h"
#include "hud/browser.h"
#include "hud/dock.h"
#include "hud/hint.h"
#include "hud/legend.h"
#include "hud/messages.h"
#include "hud/palette.h"
#include "hud/panel.h"
#include "hud/start.h"
#include "hud/theme.h"
#include "hud/toolbar.h"
#include "render/color_map.h"
#include "render/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates the HUD in the current OpenGL context. This context must belong to `window`; if `window` is NULL, it is a
/// context without a window (offscreen.h). Only one HUD can exist at a time.
bool hud_create(Window *window, Error *error);
void hud_destroy(void);

/// Sets the user's factor on the height of text in windows, from the next frame on; 1 at the start. Panels get larger
/// with their text. If the window is too small, text is smaller, see text_height.
void hud_set_text_size(double size);

enum { HUD_LABELS_MAX = 16, HUD_LINES_MAX = 192, HUD_MARKS_MAX = 8 };  // largest numbers of labels, lines and marks

// A line over the picture.
typedef struct HudLine {
  double from[2], to[2];  // pixels
  float color[3];         // sRGB
  bool handle, knob;      // handle: the mouse can grab the line, which is drawn thick; knob: the line ends in a disc
  const char *name;       // name of the point `to`, for tests (items.h); NULL: none
} HudLine;

// A small circle over the picture.
typedef struct HudMark {
  double pixel[2];
  float color[3];  // sRGB
} HudMark;

// Explanations that are part of a recorded picture: legend, scale bar, and labels at points of the body.
typedef struct HudOverlay {
  const char *title, *unit;           // legend: name and unit of the field; title NULL: none
  float colors[COLOR_MAP_POINTS][3];  // sRGB colours of the legend, from the low to the high end
  double range[2];                    // field values of the first and the last colour
  bool log;                           // the colours have a logarithmic scale; range[0] is then positive
  char note[96];      // lines below the title about range and scale, each after a line end; may be empty
  bool fixed;         // the range does not depend on the present values
  bool below, above;  // some values are below or above the range; the legend's end value then gets the sign ≤ or ≥
  double scale;       // m, length of a pixel at the depth of the camera's target, for the scale bar; 0: none
  double grid;        // m, spacing of the floor's grid lines; 0: no floor
  double arrow;       // value that an arrow of the largest drawn size represents; 0: no arrows
  const char *arrow_title, *arrow_unit;  // name and unit of the arrows' vectors
  bool cuts;                             // true: the line along which the mouse cuts the body is drawn
  double cut[2][2];                      // ends of the cut's line, pixels
  int line_count;
  HudLine line[HUD_LINES_MAX];  // [line_count]
  int mark_count;
  HudMark mark[HUD_MARKS_MAX];  // [mark_count]
  int label_count;
  struct {
    double pixel[2];
    char text[320];  // may contain line ends
  } labels[HUD_LABELS_MAX];
} HudOverlay;

// The widgets that the mouse can operate. A NULL pointer means that the picture has no such widget.
typedef struct HudTools {
  HudPanel *panel;           // panel at the right or left edge
  HudDock *dock;             // plots at the bottom, below all other widgets
  HudBrowser *browser;       // file browser beside the panel
  HudToolbar *toolbar;       // column of buttons at the left edge
  HudAxes *axes;             // axes of the world at the lower left corner
  HudLegend *legend;         // ends of the legend's range, if the overlay has a legend
  HudRows *rows;             // settings at the right edge, in place of a panel
  HudStart *start;           // start page in the middle
  HudHint *hint;             // hint for new users
  HudMessageList *messages;  // list of all messages
  HudPalette *palette;       // command palette over all other widgets
} HudTools;

/// Begins the HUD of the next picture with the window's events since the previous picture. hud_wants_keys and
/// hud_wants_mouse refer to these events until the next call.
void hud_begin(const WindowEvent *events, int count);

/// Returns true if the user is typing in a text field of the HUD.
bool hud_wants_keys(void);

/// Makes the next hud_draw close the open list of the panel. Returns false if no list is open.
bool hud_close_list(void);

/// Returns true if the mouse is over a widget, so that events of the mouse belong to the HUD.
bool hud_wants_mouse(void);

/// If `chooses`, the HUD chooses the mouse cursor, for example a text cursor over a text field. Otherwise the caller
/// sets the cursor.
void hud_choose_cursor(bool chooses);

/// Begins the HUD of a picture of width x height pixels without a window. Such pictures use this function instead of
/// hud_begin. content_scale: as window_scale, for example 2 for a picture of double density.
void hud_begin_picture(int width, int height, double content_scale);

/// Draws only an overlay into the bound framebuffer of width x height pixels, for pictures without a window.
void hud_draw_overlay(const HudOverlay *overlay, int width, int height);

/// Draws the HUD and ends its frame. Draws the overlay, the widgets in `tools`, the text `line` at the top, and the
/// text `help` at the bottom. The lines `notices` follow `line`; NULL: none. `keys` is a page of text in the middle;
/// NULL: none. A line of this page with two columns begins with spaces, has two spaces between the columns, and may end
/// with a tab and an icon (HudButton.icon).
void hud_draw(const HudOverlay *overlay, const char *line, const HudNotices *notices, const char *help,
              const HudTools *tools, const char *keys);

#ifdef __cplusplus
}
#endif
