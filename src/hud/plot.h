// Plots in the panel: lines or stacked areas over time, with axes and the values under the mouse. They are drawn
// without the library ImPlot, which Debian does not package.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_SERIES_MAX = 6, HUD_SAMPLES = 120 };  // largest numbers of curves in a plot and of samples in a curve

// One plot with up to HUD_SERIES_MAX curves (series).
typedef struct HudPlot {
  const char *title, *unit;
  bool stacked;  // the curves are drawn as areas, each on top of the previous ones
  bool hidden;   // the plot is not drawn
  int series_count;
  const char *name[HUD_SERIES_MAX];           // [series_count], names of the curves
  float values[HUD_SERIES_MAX][HUD_SAMPLES];  // the oldest sample first
} HudPlot;

/// Writes the sRGB colour of curve number `series` of a plot.
void hud_plot_color(int series, float color[3]);

/// Draws a plot as wide as the panel, or as the present column of a table. time [count]: times of the samples, s. The
/// first line shows title, unit, and the values at the mouse; if the mouse is elsewhere, the newest values. After the
/// user has moved back in time, some earlier samples have later times than the newest sample; these earlier samples are
/// not drawn.
void hud_plot(const HudPlot *plot, const float *time, int count);

#ifdef __cplusplus
}
#endif
