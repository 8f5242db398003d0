// The panel's list of probes, which the user has placed on nodes, with a plot of the displacements of these nodes.
#pragma once
#include "render/hud_plot.h"

#ifdef __cplusplus
extern "C" {
#endif

// Contents of the list of probes. The caller fills this struct before hud_draw, which stores the user's actions in it.
typedef struct HudCurves {
  int count;                      // number of probes, at most HUD_SERIES_MAX
  long long tag[HUD_SERIES_MAX];  // [count], numbers of the probes' nodes in the mesh file
  char name[HUD_SERIES_MAX][24];  // [count], such as "node 17"
  HudPlot plot;                   // displacements of the nodes over time
  int samples;                    // number of samples in the plot
  float time[HUD_SAMPLES];        // [samples] s
  int removed;                    // index of the probe that the user has deleted in this frame; -1: none
  bool save;                      // button: save the curves
} HudCurves;

/// Clears the user's actions.
void hud_curves_forget(HudCurves *curves);

/// Draws the list, its buttons and the plot, if there are probes.
void hud_curves_draw(HudCurves *curves);

#ifdef __cplusplus
}
#endif
