// The text over the picture: Dear ImGui behind a C interface. It makes its own OpenGL loader and keeps OpenGL's state.
#pragma once
#include "base/option.h"
#include "render/color_map.h"
#include "render/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/// With the context of a window current, or without a window (NULL) that of an Offscreen. There is one HUD at a time.
bool hud_create(Window *window, Error *error);
void hud_destroy(void);

enum { HUD_PLOTS_MAX = 16, HUD_SERIES_MAX = 6, HUD_SAMPLES = 120, HUD_LABELS_MAX = 8 };

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

enum { HUD_NAMES_MAX = 32 };

// Names to choose one from; chosen -1: none.
typedef struct HudChoice {
  char names[HUD_NAMES_MAX][40];
  int count, chosen;
} HudChoice;

// A setting that the user may change: a row of options that has a tab.
typedef struct HudSetting {
  const Option *option;
  OptionValue value;
  double low, high;  // what dragging it spans
  bool changed;      // by the user, in this frame
} HudSetting;

enum { HUD_SETTINGS_MAX = 48, HUD_BODIES_MAX = 32 };

// One of several bodies.
typedef struct HudBody {
  char name[40], words[80];
  bool has_color;
  float color[3];  // sRGB
} HudBody;

// Lines or stacked areas over time.
typedef struct HudPlot {
  const char *title, *unit;
  bool stacked;  // each series lies on those before
  bool hidden;   // it is not drawn
  int series_count;
  const char *name[HUD_SERIES_MAX];
  float values[HUD_SERIES_MAX][HUD_SAMPLES];  // oldest first; the last is of now
} HudPlot;

// What the panel shows and lets the user change. The caller fills it before hud_draw, which writes back.
typedef struct HudPanel {
  // body, world, how they are computed, and drawn
  HudSetting settings[HUD_SETTINGS_MAX];
  int setting_count;
  const char *const *presets, *const *preset_tips;          // names of materials, NULL-terminated; what each is
  double mouse_stiffness, natural_stiffness, mouse_radius;  // N/m, what the simulation would choose, m
  HudBody bodies[HUD_BODIES_MAX];
  int body_count;       // 0: there is one
  char contacts[1600];  // what they do to each other, in lines; may be empty
  HudChoice material, device, precision, assembly, matrix, solver;
  double speed;                // simulated over real seconds; 0: no limit
  int64_t first, now, newest;  // of the timeline: steps that can be gone back to, and where the body is
  double timeline_mib;         // what it takes
  // how it is drawn
  bool section, section_flip, probes, fixed_range, fit_range;  // fit: to what is shown now
  bool forget_range;                                           // begins the range of what has been shown anew
  HudChoice section_axis;
  double section_at, low, high;
  // files
  char path[1024];
  HudChoice scenes, recent;  // to open by a click; where none is chosen, it is the path
  // recording
  bool recording, png, film, vtu;
  int record_size[2];
  double record_fps;
  const char *record_message;  // what became of it
  // what the user did in this frame
  int preset;                                        // the material that was chosen, -1: none
  bool live_changed, rebuild_changed, view_changed;  // settings, by when they apply: see OptionApplies; speed is live
  bool mouse_changed;
  bool go;  // `now` was moved
  bool pause, step, reset, release, open, browse, record, save, picture;
  const char *show_tab;  // to be opened with the next picture; NULL: as the user says
  // what it shows
  bool paused;
  int samples;              // in every plot, oldest first
  float time[HUD_SAMPLES];  // s, simulated
  int plot_count;
  HudPlot plot[HUD_PLOTS_MAX];
} HudPanel;

// Settings alone, where there is no simulation. The caller fills them before hud_draw, which writes back.
typedef struct HudRows {
  HudSetting row[HUD_SETTINGS_MAX];
  int count;
} HudRows;

// A line of the file browser.
typedef struct HudFile {
  char name[256];
  bool folder;
  double bytes;
} HudFile;

// The file browser, which the caller fills; hud_draw writes back what was chosen by the mouse.
typedef struct HudBrowser {
  const char *folder;   // whose files these are
  const HudFile *file;  // [count]
  int count, chosen;
  bool moved;  // `chosen`, by other means than the mouse: it is brought into sight
  // what the user did in this frame
  int entered;  // the line that is to be opened, -1: none
  bool up, cancel;
} HudBrowser;

// The world's axes in the corner.
typedef struct HudAxes {
  double direction[3][3];  // of each: right, up and away from the eye in the picture, unit
  int clicked;             // what the user did in this frame: looks from +x, -x, +y ... (0 to 5), -1: nothing
} HudAxes;

// What can be worked with the mouse; NULL: it is not there.
typedef struct HudTools {
  HudPanel *panel;      // at the right
  HudBrowser *browser;  // in the middle
  HudAxes *axes;        // at the lower left
  HudRows *rows;        // in the panel's place
} HudTools;

/// The index-th widget of the panel, or the page of keys, as drawn last: its name and the pixel at its middle. False
/// past the last.
bool hud_item(int index, const char **name, double pixel[2]);

/// The index-th widget of what was drawn last that does not fit where it stands, or whose text does not: none, it is
/// hoped. False past the last.
bool hud_clipped(int index, const char **name);

/// The name of a setting in the panel, valid until the next call.
const char *hud_label(const Option *option);

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
