// Plots of the panel, for hud_panel.cpp: lines or stacked areas over time, with axes and values under the mouse.
// ImPlot would do, but Debian does not package it.
#pragma once

#include "render/hud.h"

/// Draws a plot across the window over `time` [count] s: its title, its unit, and the values of the series now or at
/// the time under the mouse. Values from before the time was set back are left out.
void hud_plot(const HudPlot *plot, const float *time, int count);
