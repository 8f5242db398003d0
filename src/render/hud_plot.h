// Plots of the panel, for hud_panel.cpp: lines or stacked areas over time, with axes and values under the mouse.
// ImPlot would do, but Debian does not package it.
#pragma once
#include <stdbool.h>

enum { HUD_SERIES_MAX = 6 };

typedef struct HudSeries {
  const char *name;
  const float *values;  // [count] oldest first; the last is of now
} HudSeries;

/// Draws a plot across the window over `time` [count] s, its title and unit, and what the series are now or were at
/// the time under the mouse. `stacked`: each series lies on those before. Values from before the time was set back are
/// left out.
void hud_plot(const char *title, const char *unit, const HudSeries *series, int series_count, const float *time,
              int count, bool stacked);
