// The panel's list of curves over time: observables that the user has added, and probes that the user has placed on
// nodes. One plot shows the displacements of all probed nodes. Each other curve has its own plot.
#pragma once
#include "hud/plot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_CURVE_NAME = 160 };

// Contents of the list of curves. The caller fills this struct before hud_draw, which stores the user's actions in it.
typedef struct HudCurves {
  int count;                                  // number of curves, at most HUD_SERIES_MAX
  char name[HUD_SERIES_MAX][HUD_CURVE_NAME];  // [count], such as "node 17" for a probe, or "kinetic"
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
} HudCurves;

/// Clears the user's actions of this frame: add, removed and save.
void hud_curves_forget(HudCurves *curves);

/// Draws the text field, the list and its buttons.
void hud_curves_draw(HudCurves *curves);

/// Draws the plots. in_table: each of them is in the next column of the present table of Dear ImGui.
void hud_curves_draw_plots(HudCurves *curves, bool in_table);

#ifdef __cplusplus
}
#endif
