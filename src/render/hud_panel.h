// The panel at the right edge of the window: settings, files, recording, and plots.
#pragma once
#include "base/option.h"
#include "render/hud_plot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_PLOTS_MAX = 16 };

enum { HUD_NAMES_MAX = 32 };

// A list of names, from which the user chooses one. chosen is its index; -1: none is chosen.
typedef struct HudChoice {
  char names[HUD_NAMES_MAX][40];
  int count, chosen;
} HudChoice;

// A setting that the user can change. `option` is a row of a table of options; its member `tab` is not NULL.
typedef struct HudSetting {
  const Option *option;
  OptionValue value;
  double low, high;  // smallest and largest value when the user drags with the mouse
  bool changed;      // the user has changed the value in this frame
} HudSetting;

enum { HUD_SETTINGS_MAX = 48, HUD_BODIES_MAX = 32 };

// One entry of the list of bodies.
typedef struct HudBody {
  char name[40], words[80];
  bool has_color;
  float color[3];  // sRGB colour of the body
} HudBody;

// Contents of the panel. The caller fills it before hud_draw, which stores the user's changes in it.
typedef struct HudPanel {
  // settings of the body, the world, the solver and the picture
  HudSetting settings[HUD_SETTINGS_MAX];
  int setting_count;
  const char *const *presets, *const *preset_tips;          // names and descriptions of materials; each list ends with
                                                            // NULL
  double mouse_stiffness, natural_stiffness, mouse_radius;  // N/m; N/m, the stiffness that the simulation suggests; m
  HudBody bodies[HUD_BODIES_MAX];
  int body_count;       // number of entries in `bodies`; 0 if the scene has a single body
  char contacts[1600];  // contacts between the bodies, one per line; may be empty
  HudChoice material, device, precision, assembly, matrix, solver;
  char rates[96];              // steps per second and iterations per step, shown in the tab "Solver"
  double speed;                // ratio of simulated time to real time; 0: no limit
  int64_t first, now, newest;  // first, present and last step of the timeline
  double timeline_mib;         // memory that the timeline uses, MiB
  // the section and the range of colours
  bool section, section_flip, probes, fixed_range, fit_range;  // fit_range: sets the colours' range to the present
                                                               // values
  bool forget_range;                                           // restarts the range of all values so far from the
                                                               // present values
  HudChoice section_axis;
  double section_at, low, high;
  // files
  char path[1024];
  HudChoice scenes, recent;  // a click on a name opens this scene; if no name is clicked, `path` is opened
  // recording
  bool recording, png, film, vtu;
  int record_size[2];
  double record_fps;
  const char *record_message;  // result of the last recording
  // actions of the user in this frame
  int preset;  // index of the chosen material, -1: none
  // The user changed a setting that takes effect in the running simulation, in a rebuilt simulation, or only in the
  // picture; see OptionApplies. A change of `speed` sets live_changed.
  bool live_changed, rebuild_changed, view_changed;
  bool mouse_changed;
  bool go;  // the user changed `now`, the present step of the timeline
  bool pause, step, reset, release, open, browse, record, save, picture;
  const char *show_tab;  // tab to be opened in the next frame; NULL: the tab that the user has chosen
  // state and plots
  bool paused;
  int samples;              // number of samples in every plot; the oldest sample comes first
  float time[HUD_SAMPLES];  // simulated time of each sample, s
  int plot_count;
  HudPlot plot[HUD_PLOTS_MAX];
} HudPanel;

// The panel of a window without a simulation; it has only settings. The caller fills them before hud_draw, which stores
// the user's changes in them.
typedef struct HudRows {
  HudSetting row[HUD_SETTINGS_MAX];
  int count;
} HudRows;

/// Draws the panel at the right edge of a window of this size, pixels. Called within a frame of Dear ImGui. Returns the
/// x coordinate of the panel's left edge, pixels.
float hud_panel_draw(HudPanel *panel, float width, float height, float margin);

/// Draws only settings, where the panel would be. Returns the x coordinate of their left edge, pixels.
float hud_rows_draw(HudRows *rows, float width, float height, float margin);

/// Requests that the panel, when it is drawn next, closes its open list.
void hud_panel_close_list(void);

/// Returns the label of a setting in the panel. The string is valid until the next call.
const char *hud_label(const Option *option);

#ifdef __cplusplus
}
#endif
