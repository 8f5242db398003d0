// The panel at the right or left edge of the window: settings, files, recording, and plots.
#pragma once
#include "base/option.h"
#include "hud/curves.h"
#include "hud/editor.h"
#include "hud/refusals.h"
#include "hud/search.h"
#include "hud/views.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_PLOTS_MAX = 16 };

// Width of the panel in heights of text: initial and smallest value, and largest one. In narrow windows the largest
// width is smaller, so that the panel leaves space for the picture.
enum { HUD_PANEL_WIDTH = 25, HUD_PANEL_WIDTH_MAX = 60 };

// Edge of the window at which the panel is.
#define HUD_SIDES "right|left"
typedef enum HudSide { HUD_RIGHT, HUD_LEFT, HUD_SIDE_COUNT } HudSide;

enum { HUD_NAMES_MAX = 48 };  // names in a list

// A list of names from which the user chooses one. `chosen` is the index of the chosen name; -1: none.
typedef struct HudChoice {
  char names[HUD_NAMES_MAX][40];
  int count, chosen;
} HudChoice;

// A setting that the user can change in the panel. `option` is its row in a table of options; its `tab` is not NULL.
typedef struct HudSetting {
  const Option *option;
  OptionValue value;
  double low, high;  // range of the value when the mouse drags it
  bool changed;      // the user has changed the value in this frame
} HudSetting;

enum { HUD_SETTINGS_MAX = 48, HUD_BODIES_MAX = 32 };

// A row of the panel that is not in a table of options, for example the choice of a solver or the stiffness of the
// spring by which the mouse pulls a body.
typedef struct HudOtherRow {
  const char *name, *tab, *help;
  bool advanced;  // as Option.advanced
} HudOtherRow;

/// Rows of the panel that are not in a table of options. The list ends with a row whose name is NULL.
extern const HudOtherRow hud_other_rows[];

// One entry of the panel's list of bodies.
typedef struct HudBody {
  char name[40], words[80];  // name of the body, and a text about it
  bool has_color;
  float color[3];  // sRGB colour of the body
} HudBody;

// Contents of the panel. The caller fills it before hud_draw, which stores the user's changes in it.
typedef struct HudPanel {
  // settings of the body, the world, the solver and the picture
  HudSetting settings[HUD_SETTINGS_MAX];
  int setting_count;
  const char *const *presets, *const *preset_tips;  // names and descriptions of materials; NULL ends each list
  // mouse_stiffness: N/m, stiffness of the mouse's spring. natural_stiffness: N/m, value that the simulation suggests.
  // mouse_radius: m, radius of the patch on which the mouse acts. natural_radius: m, default of the radius
  double mouse_stiffness, natural_stiffness, mouse_radius, natural_radius;
  HudBody bodies[HUD_BODIES_MAX];
  int body_count;       // number of `bodies`; 0 if the scene has a single body
  char contacts[1600];  // contacts between the bodies, one per line; may be empty
  HudChoice material, device, precision, assembly, matrix, solver;  // lists from which the user chooses
  char rates[96];                                                   // steps per second, and iterations per step
  double speed;                // largest ratio of simulated to real time; 0: no limit
  int64_t first, now, newest;  // first, present and last step to which the user can return
  double timeline_mib;         // MiB, memory of the states to which the user can return
  // Ticked boxes. section: a plane cuts the body; section_flip: shows the half that it hides otherwise; probes: the
  // value under the mouse is shown; fixed_range: the range of the colours stays fixed. fit_range: button that fixes
  // this range to the present values.
  bool section, section_flip, probes, fixed_range, fit_range;
  bool reset_range;  // button: resets the range of the colours to the present values
  HudChoice section_axis;
  double section_at, low, high;
  HudChoice text_size, theme;  // the user's factor on the height of text; dark or light colours
  HudChoice side;              // the edge of the window at which the panel is (HudSide)
  bool look_changed;           // the user has chosen another look
  double width;                // width that the user wants, in heights of text
  bool advanced;               // the rows below the heading "Advanced" of each tab are shown
  bool drags_width;            // the mouse is dragging the inner edge of the panel, which changes `width`
  // files that the user can open
  char path[1024];
  HudChoice scenes, recent;  // a click on a name opens the file with this name; the button Open opens `path`
  // recording of pictures, a film or VTU files
  bool recording, png, film, vtu;
  int record_size[2];
  double record_fps;
  char film_name[64];          // file of the film, whose ending selects its format
  const char *record_message;  // result of the last recording
  // actions of the user in this frame
  int preset;  // index of the material preset that the user chose; -1: none
  // The user changed a setting. live_changed: a setting of the running simulation, or `speed`. rebuild_changed: a
  // setting for which the simulation must be created again. view_changed: a setting of the picture only.
  bool live_changed, rebuild_changed, view_changed;
  bool mouse_changed, radius_changed;
  bool go;  // the user moved to step `now`
  bool pause, step, reset, release, open, browse, record, record_turn, save, picture;
  HudEditor editor;              // the tab Scene
  HudViews views;                // stored views, in the tab View
  HudCurves curves;              // probes of nodes, in the tab Plots
  HudRefusals refusals;          // fields whose last value was refused, except those of the tab Scene
  bool edits;                    // the tab Scene was drawn in this frame
  char search[HUD_SEARCH_TEXT];  // words that the user searches in all tabs; empty: the open tab is shown
  const char *show_tab;          // tab that the next frame opens; NULL: the tab that the user has opened
  // Row that the next frames show: its tab is opened, the row is scrolled into view and marked, and its number field,
  // if it has one, gets the keyboard focus. name "": none. The panel clears `name` once this is done.
  struct {
    char name[32];
    const char *tab;
    int frames;  // number of frames since the request; the panel gives up after some frames that do not show the row
  } show_row;
  // state of the simulation, and plots
  bool paused;
  int samples;              // number of samples in each plot, the oldest first
  float time[HUD_SAMPLES];  // s, simulated time of each sample
  bool docked;              // the plots are at the bottom of the window (dock.h), not in the tab Plots
  bool dock;                // button: show them there
  int plot_count;
  HudPlot plot[HUD_PLOTS_MAX];
} HudPanel;

// Settings at the right edge of a window without a simulation. The caller fills them before hud_draw, which stores the
// user's changes in them.
typedef struct HudRows {
  HudSetting row[HUD_SETTINGS_MAX];
  int count;
} HudRows;

/// Draws the panel at an edge of a window of width x height pixels. Must be called within a frame of Dear ImGui.
/// space: x coordinates between which the window is free, pixels; gets those between which it is still free.
void hud_panel_draw(HudPanel *panel, float width, float height, float margin, float space[2]);

/// Draws settings in place of a panel, at the right edge. space: as for hud_panel_draw.
void hud_rows_draw(HudRows *rows, float width, float height, float margin, float space[2]);

/// Returns the label that the panel shows for an option. It is valid until the next call.
const char *hud_label(const Option *option);

/// Returns the label that the panel shows for a row with this name.
const char *hud_label_of(const char *name);

/// Makes the panel open the tab `tab` and show a row in it. key: key of the row's option, or name of a HudOtherRow.
void hud_panel_show(HudPanel *panel, const char *key, const char *tab);

#ifdef __cplusplus
}
#endif
