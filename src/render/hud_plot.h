// Plots of the panel, for hud_panel.cpp: lines or stacked areas over time, with axes and values under the mouse.
// ImPlot would do, but Debian does not package it.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_SERIES_MAX = 6, HUD_SAMPLES = 120 };

// Lines or stacked areas over time.
typedef struct HudPlot {
  const char *title, *unit;
  bool stacked;  // each series lies on those before
  bool hidden;   // it is not drawn
  int series_count;
  const char *name[HUD_SERIES_MAX];
  float values[HUD_SERIES_MAX][HUD_SAMPLES];  // oldest first; the last is of now
} HudPlot;

/// Draws a plot across the window over `time` [count] s: its title, its unit, and the values of the series now or at
/// the time under the mouse. Values from before the time was set back are left out.
void hud_plot(const HudPlot *plot, const float *time, int count);

#ifdef __cplusplus
}
#endif
