// The panel at the right edge of the window: settings, files, recording, and plots.
#pragma once
#include "base/option.h"
#include "render/hud_plot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_PLOTS_MAX = 16 };

enum { HUD_NAMES_MAX = 32 };

// A list of names, from which the user chooses one; chosen -1: none.
typedef struct HudChoice {
  char names[HUD_NAMES_MAX][40];
  int count, chosen;
} HudChoice;

// A setting that the user can change. `option` is a row of a table of options that names a tab.
typedef struct HudSetting {
  const Option *option;
  OptionValue value;
  double low, high;  // limits for dragging with the mouse
  bool changed;      // by the user, in this frame
} HudSetting;

enum { HUD_SETTINGS_MAX = 48, HUD_BODIES_MAX = 32 };

// One entry of the list of bodies.
typedef struct HudBody {
  char name[40], words[80];
  bool has_color;
  float color[3];  // sRGB
} HudBody;

// Contents of the panel. The caller fills it before hud_draw, which stores the user's changes in it.
typedef struct HudPanel {
  // settings of the body, the world, the solver and the picture
  HudSetting settings[HUD_SETTINGS_MAX];
  int setting_count;
  const char *const *presets, *const *preset_tips;          // names and help of materials, NULL-terminated
  double mouse_stiffness, natural_stiffness, mouse_radius;  // N/m; N/m, the simulation's choice; m
  HudBody bodies[HUD_BODIES_MAX];
  int body_count;       // 0: the scene has one body
  char contacts[1600];  // contacts between the bodies, one a line; may be empty
  HudChoice material, device, precision, assembly, matrix, solver;
  char rates[96];              // steps per second and iterations per step, shown in the tab "Solver"
  double speed;                // simulated over real seconds; 0: no limit
  int64_t first, now, newest;  // first, present and last step of the timeline
  double timeline_mib;         // memory of the timeline
  // the section and the range of colours
  bool section, section_flip, probes, fixed_range, fit_range;  // fit_range: to the present values
  bool forget_range;                                           // restarts the range of all values so far
  HudChoice section_axis;
  double section_at, low, high;
  // files
  char path[1024];
  HudChoice scenes, recent;  // a click opens one; if none is chosen, `path` is opened
  // recording
  bool recording, png, film, vtu;
  int record_size[2];
  double record_fps;
  const char *record_message;  // result of the last recording
  // actions of the user in this frame
  int preset;  // index of the chosen material, -1: none
  // The user changed a setting that applies to the running simulation, to a rebuilt one, or only to the picture (see
  // OptionApplies). A change of `speed` sets live_changed.
  bool live_changed, rebuild_changed, view_changed;
  bool mouse_changed;
  bool go;  // the user changed `now`
  bool pause, step, reset, release, open, browse, record, save, picture;
  const char *show_tab;  // tab to open in the next frame; NULL: the user's choice
  // state and plots
  bool paused;
  int samples;              // number of samples of every plot, oldest first
  float time[HUD_SAMPLES];  // s, simulated
  int plot_count;
  HudPlot plot[HUD_PLOTS_MAX];
} HudPanel;

// The panel of a window without a simulation: only settings. The caller fills them before hud_draw, which stores the
// user's changes in them.
typedef struct HudRows {
  HudSetting row[HUD_SETTINGS_MAX];
  int count;
} HudRows;

/// Draws the panel at the right edge of a window of this size, pixels. Call within a frame of Dear ImGui. Returns the x
/// of the panel's left edge.
float hud_panel_draw(HudPanel *panel, float width, float height, float margin);

/// Draws only settings, at the position of the panel. Returns the x of their left edge.
float hud_rows_draw(HudRows *rows, float width, float height, float margin);

/// Closes the open list, if any, when the panel is drawn next.
void hud_panel_close_list(void);

/// Returns the label of a setting in the panel. The string is valid until the next call.
const char *hud_label(const Option *option);

#ifdef __cplusplus
}
#endif
