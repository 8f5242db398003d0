// Plots in the panel: lines or stacked areas over time, with axes and the values under the mouse. The library ImPlot is
// not used, because Debian does not package it.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_SERIES_MAX = 6, HUD_SAMPLES = 120 };

// One plot.
typedef struct HudPlot {
  const char *title, *unit;
  bool stacked;  // each series is drawn on top of the previous ones
  bool hidden;   // the plot is not drawn
  int series_count;
  const char *name[HUD_SERIES_MAX];
  float values[HUD_SERIES_MAX][HUD_SAMPLES];  // oldest first; the last sample is the present one
} HudPlot;

/// Draws a plot as wide as the window over `time` [count] s. Its first line shows title, unit, and the newest values
/// or, if the mouse is over the plot, the values at the mouse. After the user has moved back in time, samples later
/// than the newest sample's time exist; they are not drawn.
void hud_plot(const HudPlot *plot, const float *time, int count);

#ifdef __cplusplus
}
#endif
