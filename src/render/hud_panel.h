// The panel at the right of the window: the settings and files that the user changes, and plots.
#pragma once
#include "base/option.h"
#include "render/hud_plot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_PLOTS_MAX = 16 };

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
  double low, high;  // the span of dragging it
  bool changed;      // by the user, in this frame
} HudSetting;

enum { HUD_SETTINGS_MAX = 48, HUD_BODIES_MAX = 32 };

// One of several bodies.
typedef struct HudBody {
  char name[40], words[80];
  bool has_color;
  float color[3];  // sRGB
} HudBody;

// Contents of the panel, which the user changes. The caller fills it before hud_draw, which writes back.
typedef struct HudPanel {
  // settings of the body, the world, the solver and the picture
  HudSetting settings[HUD_SETTINGS_MAX];
  int setting_count;
  const char *const *presets, *const *preset_tips;          // names and help of materials, NULL-terminated
  double mouse_stiffness, natural_stiffness, mouse_radius;  // N/m, N/m as the simulation would choose, m
  HudBody bodies[HUD_BODIES_MAX];
  int body_count;       // 0: there is one
  char contacts[1600];  // contacts between the bodies, in lines; may be empty
  HudChoice material, device, precision, assembly, matrix, solver;
  double speed;                // simulated over real seconds; 0: no limit
  int64_t first, now, newest;  // the timeline's first step, the body's, and its last
  double timeline_mib;         // memory of the timeline
  // the section and the range of colours
  bool section, section_flip, probes, fixed_range, fit_range;  // fit: to the present values
  bool forget_range;                                           // begins the range of all values so far anew
  HudChoice section_axis;
  double section_at, low, high;
  // files
  char path[1024];
  HudChoice scenes, recent;  // to open by a click; where none is chosen, it is the path
  // recording
  bool recording, png, film, vtu;
  int record_size[2];
  double record_fps;
  const char *record_message;  // the result of the last one
  // actions of the user in this frame
  int preset;                                        // the material that was chosen, -1: none
  bool live_changed, rebuild_changed, view_changed;  // settings, by when they apply: see OptionApplies; speed is live
  bool mouse_changed;
  bool go;  // `now` was moved
  bool pause, step, reset, release, open, browse, record, save, picture;
  const char *show_tab;  // to be opened with the next picture; NULL: as the user says
  // state and plots
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

/// Draws it at the right edge of a window of this size, within Dear ImGui's frame. Returns the x at which it begins.
float hud_panel_draw(HudPanel *panel, float width, float height, float margin);

/// Draws settings alone, in the panel's place. Returns the x at which they begin.
float hud_rows_draw(HudRows *rows, float width, float height, float margin);

/// Closes the open list, if there is one, when the panel is drawn next.
void hud_panel_close_list(void);

/// The name of a setting in the panel, valid until the next call.
const char *hud_label(const Option *option);

#ifdef __cplusplus
}
#endif
