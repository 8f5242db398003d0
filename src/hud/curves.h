// The panel's list of curves over time: observables that the user has added, and probes that the user has placed on
// nodes. One plot shows the displacements of all probed nodes. Each other curve has its own plot.
#pragma once
#include "hud/plot.h"

#ifdef __cplusplus
extern "C" {
#endif

// HUD_MORE_MAX: max number of other quantities that the list offers for a curve
enum { HUD_CURVE_NAME = 160, HUD_MORE_MAX = 12 };

// Contents of the list of curves. The caller fills this struct before hud_draw, which stores the user's actions in it.
typedef struct HudCurves {
  int count;                                  // number of curves, at most HUD_SERIES_MAX
  char name[HUD_SERIES_MAX][HUD_CURVE_NAME];  // [count], such as "node 17" for a probe, or "kinetic"
  char label[HUD_SERIES_MAX][64];             // [count], short name that users read
  int series[HUD_SERIES_MAX];                 // [count], index of the probe's series in `plot`; -1: not a probe
  long long tag[HUD_SERIES_MAX];              // [count], numbers of the probes' nodes in the mesh file
  HudPlot plot;                               // displacements of the probed nodes
  HudPlot curve[HUD_SERIES_MAX];              // [count], components of curves that are no probes; `title` is not set
  int samples;                                // number of samples in the plots
  float time[HUD_SAMPLES];                    // [samples] s
  char wanted[256];                           // text field: names of the observables to add
  bool add;                                   // button: add curves of the observables `wanted`
  int removed;                                // index of the curve that the user has deleted in this frame; -1: none
  bool save;                                  // button: save the curves
  // [count][more_count], names of other observables with the same subject as the curve, which the button + offers
  const char *more[HUD_SERIES_MAX][HUD_MORE_MAX];
  int more_count[HUD_SERIES_MAX];
  const char *chosen;  // one of them that the user has chosen in this frame, for curve chosen_for; NULL: none
  int chosen_for;
} HudCurves;

/// Clears the user's actions of this frame: add, removed, save and chosen.
void hud_curves_clear(HudCurves *curves);

/// Draws the text field, the list and its buttons.
void hud_curves_draw(HudCurves *curves);

/// Draws the plots. in_table: each of them is in the next column of the present table of Dear ImGui.
void hud_curves_draw_plots(HudCurves *curves, bool in_table);

#ifdef __cplusplus
}
#endif
